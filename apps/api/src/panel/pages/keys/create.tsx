import type { KeyPolicy } from '@hosting/core/api-keys'
import { createKeyRoute } from '../../../api/routes/api-keys.ts'
import { readAccountChoices, type AccountChoices, readKeyPolicy } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { FormCard } from '../../view/form.tsx'
import { usePage } from '../../view/context.ts'
import { Alert, Chips, PageHeader } from '../../view/components.tsx'
import { ExpirySelect, readExpirySelection } from './expiry.tsx'
import { KeyFormFields, readKeyFields } from './fields.tsx'
import { OwnerField } from './owner.tsx'
import { readPrefill } from './prefill.ts'

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
          <WorkloadNote />
          <NewKeyForm policy={policy} accounts={accounts} />
        </>
      ),
    }
  },
  actions: {
    async create({ form, call, now }) {
      const { key, token } = await call(createKeyRoute, {
        body: {
          ...readKeyFields(form),
          kind: form.text('kind'),
          expires_at: readExpirySelection(form, now),
        },
      })
      return { to: `/keys/${key.id}/token`, flashSecret: { text: token!, seconds: 60 } }
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

/** Leads to keys that need no stored token. */
const WorkloadNote = () =>
  usePage().may('apikeys.manage') ? (
    <p>
      For a CI job or a cloud machine, <a href="/keys/new/workload">create a workload key</a>: it
      has no token that has to be stored.
    </p>
  ) : null

const NewKeyForm = ({ policy, accounts }: { policy: KeyPolicy; accounts: AccountChoices }) => (
  <FormCard action="create" button="Create key" cancel="/keys">
    <KeyFormFields
      policy={policy}
      accounts={accounts}
      owner={<OwnerField policy={policy} />}
      expiry={
        <ExpirySelect
          policy={policy}
          hint="Cannot be changed later. An expiration date limits the damage if the key leaks."
        />
      }
    />
  </FormCard>
)
