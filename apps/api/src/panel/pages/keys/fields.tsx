import { keyNameLengthMax, rateLimitMax, type KeyPolicy } from '@hosting/core/api-keys'
import type { ComponentChildren } from 'preact'
import type { KeyRecord } from '../../../api/schemas/api-key.ts'
import type { AccountChoices } from '../../../api/for-pages.ts'
import type { SubmittedForm } from '../../form.ts'
import { TextArea, TextField } from '../../view/fields.tsx'
import { FoldedFields } from '../../view/folded-fields.tsx'
import { usePage } from '../../view/context.ts'
import { AccountPicker, readAccountIds } from '../account-picker.tsx'
import { readPrefill } from './prefill.ts'
import { ScopePicker } from './scope-picker.tsx'
import { Alert } from '../../view/components.tsx'

interface Restrictions {
  readonly record?: KeyRecord | undefined
  readonly policy: Pick<KeyPolicy, 'ipAllowlistRequired'>
  readonly accounts: AccountChoices
}

/** The fields that the forms for creating and editing a key share. */
export const KeyFormFields = ({
  owner,
  expiry,
  ...restrictions
}: Restrictions & {
  /** The field for the owner of a new key. */
  owner?: ComponentChildren
  /** The field for the expiry of a new key. */
  expiry?: ComponentChildren
}) => (
  <>
    <TextField
      name="name"
      label="Name"
      hint="Describe what the key is for, such as “deploy script” or “billing export”."
      value={restrictions.record?.name ?? readPrefill(usePage().url).name}
      autocomplete="off"
      maxlength={keyNameLengthMax}
    />
    {owner}
    {restrictions.record && readPrefill(usePage().url).scopes && (
      <Alert title="These scopes are not saved yet">
        They come from the link of this page. Check them before you save.
      </Alert>
    )}
    <ScopePicker chosen={restrictions.record?.scopes ?? []} />
    {expiry}
    <RestrictionFields {...restrictions} />
  </>
)

const RestrictionFields = ({ record, policy, accounts }: Restrictions) => (
  <FoldedFields
    title="Restrictions"
    hint="Accounts, IPs and rate"
    names={['accounts', 'ip_allowlist', 'rate_limit_per_minute']}
    hasValues={policy.ipAllowlistRequired || (record !== undefined && isRestricted(record))}
  >
    <AccountPicker of="key" choices={accounts} chosen={record?.accounts ?? []} />
    <TextArea
      name="ip_allowlist"
      label={`Allowed IP addresses${policy.ipAllowlistRequired ? '' : ' (optional)'}`}
      hint={`One IP address or CIDR range per line, such as 203.0.113.7 or 2001:db8::/48. Requests from other addresses are rejected. ${policy.ipAllowlistRequired ? 'The key policy of the organization requires at least one.' : 'Leave empty to allow all.'}`}
      value={record?.ip_allowlist?.join('\n')}
      variant="mono"
      spellcheck={false}
    />
    <TextField
      name="rate_limit_per_minute"
      label="Requests per minute"
      hint={`Maximum: ${rateLimitMax}.`}
      type="number"
      inputmode="numeric"
      value={String(record?.rate_limit_per_minute ?? rateLimitMax)}
      min={1}
      max={rateLimitMax}
    />
  </FoldedFields>
)

const isRestricted = ({ accounts, ip_allowlist, rate_limit_per_minute }: KeyRecord): boolean =>
  accounts !== null || ip_allowlist !== null || rate_limit_per_minute < rateLimitMax

/** Converts the submitted form to the API's format. */
export const readKeyFields = (form: SubmittedForm) => ({
  name: form.text('name'),
  scopes: form.all('scopes'),
  accounts: readAccountIds(form),
  ip_allowlist: form.lines('ip_allowlist') ?? null,
  rate_limit_per_minute: form.number('rate_limit_per_minute') ?? rateLimitMax,
})
