import { validationFailed } from '@hosting/core/problems'
import { customHeadersMax } from '@hosting/core/webhooks'
import type { ComponentChildren } from 'preact'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { requireAllowedHeaders } from '../../../api/for-pages.ts'
import type { SubmittedForm } from '../../form.ts'
import { usePage } from '../../view/context.ts'
import { CheckBoxes, TextArea } from '../../view/fields.tsx'
import { FoldedFields } from '../../view/folded-fields.tsx'
import type { Services } from '../../../api/services.ts'

/** The custom headers of an endpoint, and whether it uses Standard Webhooks. */
export const HeaderFields = ({ endpoint }: { endpoint?: EndpointRecord | undefined }) => {
  const names = endpoint?.header_names ?? []
  const { refused } = usePage()
  return (
    <FoldedFields
      title="Headers and signature"
      hint="Optional"
      names={['headers', 'remove_headers', 'standard_webhooks']}
      hasValues={names.length > 0 || endpoint?.standard_webhooks === true}
    >
      <TextArea
        name="headers"
        label="Custom headers (optional)"
        hint={
          <>
            One per line, as <code>Name: value</code>, up to {customHeadersMax}. Every request
            carries them. Values are stored encrypted and not shown again.
            {refused?.form.text('headers') !== undefined && (
              <strong> Enter the values again: they were not kept with the form.</strong>
            )}
            {names.length > 0 && (
              <>
                {' '}
                Current headers: <code>{names.join(', ')}</code>. Leave the field empty to keep
                them, or enter all headers to replace them. If you change the scheme, host or port
                of the URL, enter all headers for the new URL, or remove them.
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
        isChecked={endpoint?.standard_webhooks ?? false}
        hint={
          <>
            For receivers that verify with a library of standardwebhooks.com. Requests also carry{' '}
            <code>webhook-id</code>, <code>webhook-timestamp</code> and{' '}
            <code>webhook-signature</code>.
          </>
        }
      />
    </FoldedFields>
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
 * @throws Problem `validation_failed` if a header is not allowed, is given twice, or is not a name and a value.
 */
export const readHeaderFields = (form: SubmittedForm, services: Pick<Services, 'config'>) => ({
  headers: readHeaders(form, services),
  standard_webhooks: form.text('standard_webhooks') === 'true',
})

function readHeaders(
  form: SubmittedForm,
  services: Pick<Services, 'config'>,
): Record<string, string> | null | undefined {
  const headers = (form.text('headers') ?? '')
    .split('\n')
    .map((line, index) => [line.trim(), index + 1] as const)
    .filter(([line]) => line !== '')
    .map(([line, number]) => readHeader(line, number))
  if (headers.length > 0) {
    requireAllowedHeaders(services, headers)
    return Object.fromEntries(headers)
  }
  return form.text('remove_headers') === 'true' ? null : undefined
}

/** Reads a line. An error does not repeat a line without a name, since it may be a value. */
function readHeader(line: string, number: number): [name: string, value: string] {
  const [name = '', ...value] = line.split(':')
  if (value.length === 0) {
    const message = `Line ${number} has no colon. Write each header as Name: value`
    throw validationFailed({ pointer: '/headers', message })
  }
  return [name.trim(), value.join(':').trim()]
}
