import type { KeyPolicy } from '@hosting/core/api-keys'
import { createKeyRoute } from '../../../../api/routes/api-keys.ts'
import {
  readAccountChoices,
  serviceRoles,
  type AccountChoices,
  readKeyPolicy,
} from '../../../../api/for-pages.ts'
import { page } from '../../../page.ts'
import { usePage } from '../../../view/context.ts'
import { TextField } from '../../../view/fields.tsx'
import { FormCard } from '../../../view/form.tsx'
import { PageHeader } from '../../../view/components.tsx'
import { ExpirySelect, readExpirySelection } from '../expiry.tsx'
import { KeyFormFields, readKeyFields } from '../fields.tsx'
import {
  ciServices,
  fieldsOfClaims,
  readCiFields,
  toCiServiceName,
  type CiServiceName,
} from './ci-services.ts'
import { readConditions, withFieldErrors } from './conditions.ts'
import {
  AudienceField,
  ConditionsField,
  readSingleUse,
  readTokenLifetime,
  SingleUseField,
  TokenLifetimeField,
} from './fields.tsx'

/** The form for a new workload key: for GitHub, GitLab, or any issuer. */
export const newWorkloadKeyPage = page({
  path: '/keys/new/workload',
  access: 'apikeys.manage',
  confirmed: true,
  async show({ services, caller, query }) {
    const policy = await readKeyPolicy(services, caller)
    const { id } = caller.user
    const service = { id, tenantId: caller.tenant.id, roles: serviceRoles }
    const accounts = await readAccountChoices(services, service)
    const chosen = toCiServiceName(query['service'])
    return {
      title: 'Create workload key',
      body: (
        <>
          <PageHeader
            title="Create workload key"
            crumbs={[
              ['API keys', '/keys'],
              ['Create API key', '/keys/new'],
            ]}
          >
            A job proves what it is with an identity token of its issuer, and gets a token of the
            key for some minutes. Nothing has to be stored there.{' '}
            <a href="/docs/ci">How it works</a>
          </PageHeader>
          <ServiceLinks chosen={chosen} />
          <WorkloadForm chosen={chosen} policy={policy} accounts={accounts} />
        </>
      ),
    }
  },
  actions: {
    async create({ form, query, call, now }) {
      const service = ciServices[toCiServiceName(query['service'])]
      const conditions = readConditions(form, readCiFields(service, form))
      const body = {
        ...readKeyFields(form),
        kind: 'organization',
        expires_at: readExpirySelection(form, now),
        workload: {
          issuer: form.text('issuer') ?? service.issuer ?? '',
          conditions,
          token_lifetime_seconds: readTokenLifetime(form),
          single_use: readSingleUse(form),
          audience: form.text('audience'),
        },
      }
      const { key } = await withFieldErrors(fieldsOfClaims(service), () =>
        call(createKeyRoute, { body }),
      )
      return { to: `/keys/${key.id}/workload`, message: 'workload_key_created' }
    },
  },
})

const ServiceLinks = ({ chosen }: { chosen: CiServiceName }) => (
  <nav aria-label="Where the job runs" class="buttons">
    {Object.entries(ciServices).map(([value, { name }]) => (
      <a
        key={value}
        class={value === chosen ? 'button small' : 'button small plain'}
        href={`/keys/new/workload?service=${value}`}
        aria-current={value === chosen ? 'true' : undefined}
      >
        {name}
      </a>
    ))}
  </nav>
)

function WorkloadForm({
  chosen,
  policy,
  accounts,
}: {
  chosen: CiServiceName
  policy: KeyPolicy
  accounts: AccountChoices
}) {
  const { url } = usePage()
  return (
    <FormCard
      title={ciServices[chosen].name}
      action="create"
      to={url}
      button="Create workload key"
      cancel="/keys"
    >
      {chosen !== 'github' && <IssuerField chosen={chosen} />}
      {ciServices[chosen].fields.map(({ name, label, hint, isId }) => (
        <TextField
          key={name}
          name={name}
          label={label}
          hint={withCode(hint)}
          autocomplete="off"
          spellcheck={false}
          {...(isId && { inputmode: 'numeric' as const })}
        />
      ))}
      {chosen === 'other' ? (
        <ConditionsField label="Conditions" hint="The claims that identity tokens must have." />
      ) : (
        <ConditionsField
          label="Further conditions (optional)"
          hint="Other claims that identity tokens must have."
        />
      )}
      <SingleUseField singleUse={chosen !== 'other'} />
      <AudienceField />
      <TokenLifetimeField />
      <KeyFormFields
        policy={policy}
        accounts={accounts}
        expiry={
          <ExpirySelect
            policy={policy}
            hint="When the key itself expires. Cannot be changed later. Its tokens never live longer."
          />
        }
      />
    </FormCard>
  )
}

/** Text in which commands are between backticks. */
const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))

const IssuerField = ({ chosen }: { chosen: 'gitlab' | 'other' }) => (
  <TextField
    name="issuer"
    label={chosen === 'gitlab' ? 'GitLab server' : 'Issuer'}
    hint={
      chosen === 'gitlab'
        ? 'The address of the server, if it is your own.'
        : 'The issuer of the identity tokens, exactly as in their claim iss. Its keys are read from /.well-known/openid-configuration below it.'
    }
    type="url"
    value={ciServices[chosen].issuer}
    autocomplete="off"
    spellcheck={false}
  />
)
