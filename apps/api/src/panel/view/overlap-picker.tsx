import { overlapSecondsInPanel, overlapSecondsMax } from '@hosting/core/api-keys'
import type { SubmittedForm } from '../form.ts'
import { ConfirmationPage } from './confirmation.tsx'
import { Radios } from './fields.tsx'

/** Chooses the overlap period: how long the previous token or secret stays valid after a rotation. */
export const OverlapPicker = ({ what }: { what: 'token' | 'secret' }) => (
  <Radios
    name="grace_seconds"
    label="Overlap period"
    hint={`How long the current ${what} stays valid.`}
    value={String(overlapSecondsInPanel)}
    choices={[
      {
        value: '0',
        label: 'None',
        hint: `Revokes the current ${what} and all earlier ones now. Choose this if it may have leaked.`,
      },
      {
        value: String(overlapSecondsInPanel),
        label: hoursText(overlapSecondsInPanel),
        hint: 'Enough time to deploy the new one.',
      },
      {
        value: String(overlapSecondsMax),
        label: hoursText(overlapSecondsMax),
        hint: 'Enough time for several people or systems to switch.',
      },
    ]}
  />
)

const hoursText = (seconds: number): string =>
  (seconds / 3_600).toLocaleString('en', { style: 'unit', unit: 'hour', unitDisplay: 'long' })

/** The page that asks before a rotation without an overlap period, from the path of the page of the rotation. */
export const withoutOverlapUrl = (path: string): string => `${path}?overlap=none`

/** Whether the URL is that of {@link withoutOverlapUrl}. */
export const isWithoutOverlap = (query: Readonly<Record<string, string>>): boolean =>
  query['overlap'] === 'none'

/** Whether the person chose no overlap period and was not asked yet. */
export const mustConfirmOverlap = (form: SubmittedForm): boolean =>
  form.number('grace_seconds') === 0 && form.text('confirmed') !== 'true'

/** Asks before a rotation without an overlap period. */
export const ConfirmWithoutOverlap = ({
  what,
  crumbs,
  path,
  consequence,
}: {
  what: 'token' | 'secret'
  crumbs: readonly (readonly [name: string, path: string])[]
  /** The path of the page of the rotation. */
  path: string
  consequence: string
}) => (
  <ConfirmationPage
    title="Rotate without an overlap period?"
    crumbs={crumbs}
    action="rotate"
    to={path}
    isFinal
    consequence={[`The current ${what} stops working immediately`, consequence]}
    button="Rotate now"
    cancel={path}
  >
    <input type="hidden" name="grace_seconds" value="0" />
    <input type="hidden" name="confirmed" value="true" />
  </ConfirmationPage>
)
