import {
  disableAfterHoursMax,
  endpointRateLimitMax,
  endpointDescriptionLengthMax,
  endpointUrlLengthMax,
} from '@hosting/core/webhooks'
import type { ComponentChildren } from 'preact'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import type { SubmittedForm } from '../../form.ts'
import { Chips } from '../../view/components.tsx'
import { TextField } from '../../view/fields.tsx'
import { FoldedFields } from '../../view/folded-fields.tsx'
import type { AccountChoices } from '../../../api/for-pages.ts'
import { AccountPicker, readAccountIds } from '../account-picker.tsx'
import { EventPicker, SelectedEvents } from './event-picker.tsx'
import { HeaderFields, readHeaderFields } from './header-fields.tsx'
import type { Services } from '../../../api/services.ts'

/** The fields of an endpoint. */
export const EndpointFormFields = ({
  endpoint,
  accounts,
}: {
  endpoint?: EndpointRecord
  accounts: AccountChoices
}) => (
  <>
    <TextField
      name="url"
      label="URL"
      type="url"
      inputmode="url"
      hint="An HTTPS URL that is reachable from the internet. Redirects are not followed."
      value={endpoint?.url}
      autocomplete="off"
      spellcheck={false}
      maxlength={endpointUrlLengthMax}
    />
    <TextField
      name="description"
      label="Description (optional)"
      value={endpoint?.description ?? undefined}
      autocomplete="off"
      maxlength={endpointDescriptionLengthMax}
    />
    <EventPicker chosen={endpoint?.events ?? []} />
    <AccountFields choices={accounts} chosen={endpoint?.accounts ?? []} />
    <LimitFields {...(endpoint && { endpoint })} />
    <HeaderFields endpoint={endpoint} />
  </>
)

const AccountFields = ({
  choices,
  chosen,
}: {
  choices: AccountChoices
  chosen: readonly string[]
}) =>
  choices.accounts.length === 0 && chosen.length === 0 ? null : (
    <FoldedFields
      title="Accounts"
      hint="Optional"
      names={['accounts']}
      hasValues={chosen.length > 0}
    >
      <AccountPicker of="endpoint" choices={choices} chosen={chosen} />
    </FoldedFields>
  )

const LimitFields = ({ endpoint }: { endpoint?: EndpointRecord }) => (
  <FoldedFields
    title="Limits"
    hint="Optional"
    names={['rate_limit_per_second', 'disable_after_failing_hours']}
    hasValues={
      endpoint != null &&
      (endpoint.rate_limit_per_second !== null || endpoint.disable_after_failing_hours !== null)
    }
  >
    <TextField
      name="rate_limit_per_second"
      label="Rate limit, in attempts per second (optional)"
      type="number"
      inputmode="numeric"
      hint={`Deliveries above the limit wait without using up an attempt. 1 to ${endpointRateLimitMax.toLocaleString('en')}. Leave empty for no limit.`}
      value={endpoint?.rate_limit_per_second?.toString()}
      min={1}
      max={endpointRateLimitMax}
    />
    <TextField
      name="disable_after_failing_hours"
      label="Hours of failure before disabling (optional)"
      type="number"
      inputmode="numeric"
      hint={`Deliveries then wait until you enable the endpoint. 1 to ${disableAfterHoursMax}. Leave empty to keep it enabled.`}
      value={endpoint?.disable_after_failing_hours?.toString()}
      min={1}
      max={disableAfterHoursMax}
    />
  </FoldedFields>
)

/** Converts the submitted form to the API's format. */
export const readEndpointFields = (form: SubmittedForm, services: Pick<Services, 'config'>) => ({
  url: form.text('url') ?? '',
  description: form.text('description') ?? null,
  events: form.all('events'),
  rate_limit_per_second: form.number('rate_limit_per_second') ?? null,
  disable_after_failing_hours: form.number('disable_after_failing_hours') ?? null,
  accounts: readAccountIds(form),
  ...readHeaderFields(form, services),
})

/** Formats a number of hours. */
const hoursText = (hours: number): string => (hours === 1 ? '1 hour' : `${hours} hours`)

/** The settings of an endpoint, as its page shows them, with the names of its accounts. */
export const endpointSettings = (
  endpoint: EndpointRecord,
  accounts: readonly string[] | null,
): [name: string, value: ComponentChildren][] => [
  ['URL', endpoint.url],
  ['Description', endpoint.description ? <bdi>{endpoint.description}</bdi> : '–'],
  [
    'Events',
    <>
      <Chips items={endpoint.events} />
      <SelectedEvents patterns={endpoint.events} />
    </>,
  ],
  ['Accounts', accounts ? <Chips items={accounts} /> : 'All'],
  [
    'Custom headers',
    endpoint.header_names.length > 0 ? <Chips items={endpoint.header_names} /> : '–',
  ],
  ...(endpoint.external_id === null
    ? []
    : [['External ID', endpoint.external_id] as [string, string]]),
  ['Standard Webhooks', endpoint.standard_webhooks ? 'On' : 'Off'],
  [
    'Rate limit',
    endpoint.rate_limit_per_second === null
      ? 'None'
      : `${endpoint.rate_limit_per_second.toLocaleString('en')} per second`,
  ],
  [
    'Disable after',
    endpoint.disable_after_failing_hours === null
      ? 'Never'
      : `${hoursText(endpoint.disable_after_failing_hours)} of failures`,
  ],
]
