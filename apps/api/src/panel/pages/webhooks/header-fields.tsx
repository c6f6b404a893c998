import { customHeadersMax } from '@hosting/core'
import type { ComponentChildren } from 'preact'
import type { WebhookRecord } from '../../../records/webhook.ts'
import { requireAllowedHeaders } from '../../../use-cases/webhook-headers.ts'
import type { Form } from '../../form.ts'
import { CheckBoxes, TextArea } from '../../view/fields.tsx'
import type { Services } from '../../../services.ts'

/** The custom headers of an endpoint, and whether it uses Standard Webhooks. */
export const HeaderFields = ({ webhook }: { webhook?: WebhookRecord | undefined }) => {
  const names = webhook?.header_names ?? []
  return (
    <>
      <TextArea
        name="headers"
        label="Custom headers (optional)"
        hint={
          <>
            One per line, as <code>Name: value</code>, up to {customHeadersMax}. Every request
            carries them. Values are stored encrypted and not shown again.
            {names.length > 0 && (
              <>
                {' '}
                Current headers: <code>{names.join(', ')}</code>. Leave the field empty to keep
                them, or enter all headers to replace them.
              </>
            )}
          </>
        }
        variant="mono"
        rows={3}
        spellcheck={false}
      />
      {names.length > 0 && (
        <CheckBox
          name="remove_headers"
          legend="Current custom headers"
          label="Remove all custom headers"
          isChecked={false}
        />
      )}
      <CheckBox
        name="standard_webhooks"
        legend="Signature"
        label="Also sign with Standard Webhooks"
        isChecked={webhook?.standard_webhooks ?? false}
        hint={
          <>
            For receivers that verify with a library of standardwebhooks.com. Requests also carry{' '}
            <code>webhook-id</code>, <code>webhook-timestamp</code> and{' '}
            <code>webhook-signature</code>.
          </>
        }
      />
    </>
  )
}

const CheckBox = ({
  name,
  legend,
  label,
  isChecked,
  hint,
}: {
  name: string
  legend: string
  label: string
  isChecked: boolean
  hint?: ComponentChildren
}) => (
  <CheckBoxes name={name} label={legend} chosen={isChecked ? ['true'] : []}>
    {(isChosen) => (
      <label class="check">
        <input type="checkbox" name={name} value="true" checked={isChosen('true')} />
        <span>{label}</span>
        {hint !== undefined && <span class="hint">{hint}</span>}
      </label>
    )}
  </CheckBoxes>
)

/**
 * Converts the submitted fields to the API's format. Without headers the current ones stay.
 *
 * @throws Problem `validation_failed` if a header is not allowed or is given twice.
 */
export const readHeaderFields = (form: Form, services: Pick<Services, 'config'>) => ({
  headers: readHeaders(form, services),
  standard_webhooks: form.text('standard_webhooks') === 'true',
})

function readHeaders(
  form: Form,
  services: Pick<Services, 'config'>,
): Record<string, string> | null | undefined {
  const headers = (form.text('headers') ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): [string, string] => {
      const [name = '', ...value] = line.split(':')
      return [name.trim(), value.join(':').trim()]
    })
  if (headers.length > 0) {
    requireAllowedHeaders(services, headers)
    return Object.fromEntries(headers)
  }
  return form.text('remove_headers') === 'true' ? null : undefined
}
