import { rateLimitDefault } from '@hosting/core'
import type { KeyRecord } from '../../endpoints.ts'
import type { Form } from '../../form.ts'
import { TextArea, TextField } from '../../view/fields.tsx'
import { ScopePicker } from './scope-picker.tsx'

/** The fields of a key that its form of creation and its form of change share. */
export const KeyFields = ({ record }: { record?: KeyRecord }) => (
  <>
    <TextField
      name="name"
      label="Name"
      hint="What it is for, so that you know it again: “deploy script”, “billing export”."
      value={record?.name}
      autocomplete="off"
      maxlength={100}
    />
    <ScopePicker chosen={record?.scopes ?? []} />
    <TextArea
      name="ip_allowlist"
      label="Allowed addresses (optional)"
      hint="One address or CIDR to a line, such as 203.0.113.7 or 2001:db8::/48. From anywhere else the key is refused. Empty: from everywhere."
      value={record?.ip_allowlist?.join('\n')}
      look="mono"
      spellcheck={false}
    />
    <TextField
      name="rate_limit_per_minute"
      label="Requests per minute"
      hint={`At most ${rateLimitDefault}.`}
      type="number"
      inputmode="numeric"
      value={String(record?.rate_limit_per_minute ?? rateLimitDefault)}
      min={1}
      max={rateLimitDefault}
    />
  </>
)

/** What the form was submitted with, as the API takes it. */
export const readKeyFields = (form: Form) => ({
  name: form.text('name'),
  scopes: form.all('scopes'),
  ip_allowlist: form.lines('ip_allowlist') ?? null,
  rate_limit_per_minute: form.number('rate_limit_per_minute') ?? rateLimitDefault,
})
