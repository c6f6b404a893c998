import { keyLifetimeDaysMax, type KeyPolicy } from '@hosting/core'
import { createKeyRoute } from '../../../routes/api-keys.ts'
import { readAccountChoices, type AccountChoices } from '../../../use-cases/key-accounts.ts'
import { readKeyPolicy } from '../../../use-cases/key-policy.ts'
import { page } from '../../page.ts'
import { Radios, Select } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { usePage } from '../../view/context.ts'
import { Alert, Card, Chips, PageHeader, LinkButton } from '../../view/components.tsx'
import { KeyFields, readKeyFields } from './fields.tsx'
import { readPrefill } from './prefill.ts'

const dayMs = 86_400_000
const lifetimesDays = [7, 30, 90, 365]

export const newKeyPage = page({
  path: '/keys/new',
  access: 'apikeys.create',
  confirmed: true,
  async show({ services, caller }) {
    const policy = await readKeyPolicy(services, caller)
    const { tenant, user } = caller
    const accounts = await readAccountChoices(services, { ...user, tenantId: tenant.id })
    return {
      title: 'Create API key',
      body: (
        <>
          <PageHeader title="Create API key" crumbs={[['API keys', '/keys']]} />
          <LinkNotes />
          <NewKeyForm policy={policy} accounts={accounts} />
        </>
      ),
    }
  },
  actions: {
    async create({ form, call, now }) {
      const days = Number(form.text('lifetime'))
      const { key, token } = await call(createKeyRoute, {
        body: {
          ...readKeyFields(form),
          kind: form.text('kind'),
          expires_at:
            Number.isInteger(days) && days >= 1 && days <= keyLifetimeDaysMax
              ? new Date(now.getTime() + days * dayMs).toISOString()
              : null,
        },
      })
      return { to: `/keys/${key.id}/token`, flashSecret: { text: token, seconds: 60 } }
    },
  },
})

/** Says that a link filled in the form, since anybody can send such a link. */
function LinkNotes() {
  const { isFromLink, unknown } = readPrefill(usePage().url)
  return (
    <>
      {isFromLink && (
        <Alert title="A link filled in this form">
          Check the name and the scopes before you create the key.
        </Alert>
      )}
      {unknown.length > 0 && (
        <Alert tone="warn" title="The link names scopes that do not exist">
          <Chips items={unknown} />
        </Alert>
      )}
    </>
  )
}

function NewKeyForm({ policy, accounts }: { policy: KeyPolicy; accounts: AccountChoices }) {
  const { may } = usePage()
  const lifetimes = lifetimesUnder(policy)
  return (
    <Card>
      <Form action="create">
        <KeyFields policy={policy} accounts={accounts} />
        <Select
          name="lifetime"
          member="expires_at"
          label="Expiration"
          hint="Cannot be changed later. An expiration date limits the damage if the key leaks."
          value={lifetimes.includes(90) ? '90' : String(lifetimes.at(-1))}
          choices={[
            ...lifetimes.map((days) => ({
              value: String(days),
              label: days === 1 ? '1 day' : `${days} days`,
            })),
            ...(policy.maxLifetimeDays === null
              ? [{ value: 'never', label: 'No expiration' }]
              : []),
          ]}
        />
        {!policy.personalKeysAllowed && (
          <Alert title="Personal keys are not allowed">
            The key policy of the organization allows organization keys only.
          </Alert>
        )}
        {may('apikeys.manage') && (
          <Radios
            name="kind"
            label="Kind"
            value={policy.personalKeysAllowed ? 'personal' : 'organization'}
            choices={[
              {
                value: 'personal',
                label: 'Personal',
                hint: 'Acts as you. Stops working when your account is deactivated.',
              },
              {
                value: 'organization',
                label: 'Organization',
                hint: 'Acts as a service user. Does not depend on any person’s account.',
              },
            ]}
          />
        )}
        <div class="buttons">
          <Submit>Create key</Submit>
          <LinkButton to="/keys">Cancel</LinkButton>
        </div>
      </Form>
    </Card>
  )
}

/** The lifetimes to choose from, in days, in ascending order. */
function lifetimesUnder({ maxLifetimeDays }: KeyPolicy): number[] {
  if (maxLifetimeDays === null) return lifetimesDays
  return [...lifetimesDays.filter((days) => days < maxLifetimeDays), maxLifetimeDays]
}
