import { keyLifetimeDaysMax, type KeyPolicy } from '@hosting/core/api-keys'
import { dayMs } from '@hosting/core/clock'
import type { SubmittedForm } from '../../form.ts'
import { Select } from '../../view/fields.tsx'

const lifetimesDays = [7, 30, 90, 365]

/** The field for the expiry of a new key. */
export function ExpirySelect({ policy, hint }: { policy: KeyPolicy; hint: string }) {
  const lifetimes = lifetimesUnder(policy)
  return (
    <Select
      name="lifetime"
      member="expires_at"
      label="Expiration"
      hint={hint}
      value={lifetimes.includes(90) ? '90' : String(lifetimes.at(-1))}
      choices={[
        ...lifetimes.map((days) => ({
          value: String(days),
          label: days === 1 ? '1 day' : `${days} days`,
        })),
        ...(policy.maxLifetimeDays === null ? [{ value: 'never', label: 'No expiration' }] : []),
      ]}
    />
  )
}

/** Converts the submitted field to the API's format. */
export function readExpirySelection(form: SubmittedForm, now: Date): string | null {
  const days = Number(form.text('lifetime'))
  const isLifetime = Number.isInteger(days) && days >= 1 && days <= keyLifetimeDaysMax
  return isLifetime ? new Date(now.getTime() + days * dayMs).toISOString() : null
}

/** The lifetimes to choose from, in days, in ascending order. */
function lifetimesUnder({ maxLifetimeDays }: KeyPolicy): number[] {
  if (maxLifetimeDays === null) return lifetimesDays
  return [...lifetimesDays.filter((days) => days < maxLifetimeDays), maxLifetimeDays]
}
