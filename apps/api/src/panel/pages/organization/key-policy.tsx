import { keyLifetimeDaysMax } from '@hosting/core/api-keys'
import { deviceKeyLifetimeDays } from '@hosting/core/device-login'
import {
  type KeyPolicyRecord,
  getKeyPolicyRoute,
  putKeyPolicyRoute,
} from '../../../api/routes/key-policy.ts'
import { toBoolean } from '../../form.ts'
import { page } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { Alert, PageHeader } from '../../view/components.tsx'
import { Radios, TextField } from '../../view/fields.tsx'
import { FormCard } from '../../view/form.tsx'
import { crumbs, PolicyWarnings } from './show.tsx'

export const keyPolicyPage = page({
  path: '/organization/key-policy',
  access: 'tenant.manage',
  confirmed: true,
  async show({ call, query }) {
    const { policy, warnings } = await call(getKeyPolicyRoute)
    return {
      title: 'Key policy',
      body: (
        <>
          <PageHeader title="Key policy" crumbs={crumbs}>
            Applies to every key that is created, rotated or enabled from now on, and to changes of
            its IP allowlist. Existing keys keep working.
          </PageHeader>
          {Object.keys(toTexts(policy)).some((name) => query[name] !== undefined) && (
            <Alert title="A link filled in this form">
              The values are not saved yet. Check them before you save.
            </Alert>
          )}
          <PolicyWarnings warnings={warnings} />
          <PolicyForm policy={{ ...toTexts(policy), ...prefillOf(query) }} />
        </>
      ),
    }
  },
  actions: {
    async save({ call, form }) {
      await call(putKeyPolicyRoute, {
        body: {
          max_lifetime_days: form.number('max_lifetime_days') ?? null,
          ip_allowlist_required: toBoolean(form.text('ip_allowlist_required')),
          personal_keys_allowed: toBoolean(form.text('personal_keys_allowed')),
        },
      })
      return { to: '/organization', message: 'key_policy_updated' }
    },
  },
})

const toTexts = (policy: KeyPolicyRecord): Readonly<Record<string, string>> => ({
  max_lifetime_days: String(policy.max_lifetime_days ?? ''),
  ip_allowlist_required: String(policy.ip_allowlist_required),
  personal_keys_allowed: String(policy.personal_keys_allowed),
})

/** The values of a link. `none` is no maximum, since an empty parameter counts as missing. */
const prefillOf = ({ max_lifetime_days, ...others }: Readonly<Record<string, string>>) => ({
  ...others,
  ...(max_lifetime_days !== undefined && {
    max_lifetime_days: max_lifetime_days === 'none' ? '' : max_lifetime_days,
  }),
})

/** The form with the stored policy, or the values of a link, such as one of `hctl policy set`. */
function PolicyForm({ policy }: { policy: Readonly<Record<string, string>> }) {
  const { command } = usePage().brand
  const noDevices = `This rules out device logins, such as ${command} login.`
  return (
    <FormCard action="save" button="Save key policy" cancel="/organization">
      <TextField
        name="max_lifetime_days"
        label="Maximum lifetime in days"
        hint={`From creation to expiration, 1 to ${keyLifetimeDaysMax.toLocaleString('en')}. Leave empty to allow keys that do not expire. Keys from device logins are valid for ${deviceKeyLifetimeDays} days, or for this lifetime if it is shorter.`}
        type="number"
        inputmode="numeric"
        value={policy['max_lifetime_days']}
        min={1}
        max={keyLifetimeDaysMax}
      />
      <Radios
        name="ip_allowlist_required"
        label="IP allowlist"
        value={policy['ip_allowlist_required']}
        choices={[
          { value: 'false', label: 'Optional', hint: 'A key may be used from any address.' },
          {
            value: 'true',
            label: 'Required',
            hint: `Every key needs allowed addresses. ${noDevices}`,
          },
        ]}
      />
      <Radios
        name="personal_keys_allowed"
        label="Personal keys"
        value={policy['personal_keys_allowed']}
        choices={[
          { value: 'true', label: 'Allowed', hint: 'People may create keys that act as them.' },
          {
            value: 'false',
            label: 'Not allowed',
            hint: `Only organization keys. ${noDevices}`,
          },
        ]}
      />
    </FormCard>
  )
}
