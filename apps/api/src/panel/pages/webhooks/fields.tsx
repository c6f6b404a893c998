import {
  disableAfterHoursMax,
  endpointRateLimitMax,
  eventTypes,
  webhookDescriptionLengthMax,
  webhookUrlLengthMax,
} from '@hosting/core'
import type { WebhookRecord } from '../../../records/webhook.ts'
import type { Form } from '../../form.ts'
import { CheckBoxes, TextField } from '../../view/fields.tsx'
import { HeaderFields, readHeaderFields } from './header-fields.tsx'

const groups = [
  ...Map.groupBy(
    [...eventTypes.values()].filter(({ resource }) => resource !== 'webhook'),
    ({ resource }) => resource,
  ),
]

/** The fields of an endpoint. */
export const WebhookFields = ({ webhook }: { webhook?: WebhookRecord }) => (
  <>
    <TextField
      name="url"
      label="URL"
      type="url"
      inputmode="url"
      hint="An HTTPS URL that is reachable from the internet. Redirects are not followed."
      value={webhook?.url}
      autocomplete="off"
      spellcheck={false}
      maxlength={webhookUrlLengthMax}
    />
    <TextField
      name="description"
      label="Description (optional)"
      value={webhook?.description ?? undefined}
      autocomplete="off"
      maxlength={webhookDescriptionLengthMax}
    />
    <LimitFields {...(webhook && { webhook })} />
    <EventPicker chosen={webhook?.events ?? []} />
    <HeaderFields webhook={webhook} />
  </>
)

const LimitFields = ({ webhook }: { webhook?: WebhookRecord }) => (
  <>
    <TextField
      name="rate_limit_per_second"
      label="Rate limit, in attempts per second (optional)"
      type="number"
      inputmode="numeric"
      hint={`Further deliveries wait, which uses up no attempt. 1 to ${endpointRateLimitMax.toLocaleString('en')}; empty for no limit.`}
      value={webhook?.rate_limit_per_second?.toString()}
      min={1}
      max={endpointRateLimitMax}
    />
    <TextField
      name="disable_after_failing_hours"
      label="Disable after failing for, in hours (optional)"
      type="number"
      inputmode="numeric"
      hint={`Deliveries then wait until you enable the endpoint. 1 to ${disableAfterHoursMax}; empty for never.`}
      value={webhook?.disable_after_failing_hours?.toString()}
      min={1}
      max={disableAfterHoursMax}
    />
  </>
)

const EventPicker = ({ chosen }: { chosen: readonly string[] }) => (
  <CheckBoxes
    name="events"
    label="Events"
    hint="A wildcard includes event types that are added later."
    chosen={chosen}
  >
    {(isChosen) => (
      <div class="stack">
        <div class="choices cards">
          <label class="check">
            <input type="checkbox" name="events" value="*" checked={isChosen('*')} />
            <span>
              All events <code>*</code>
            </span>
            <span class="hint">All events of the organization, including new types.</span>
          </label>
        </div>
        <div class="patterns">
          {groups.map(([resource, types]) => {
            const all = `${resource}.*`
            const count = types.filter(({ type }) => isChosen(type)).length
            return (
              <details key={resource} open={isChosen(all) || count > 0}>
                <summary>{resource}</summary>
                <div class="stack-tight">
                  <Pattern value={all} isChosen={isChosen} hint="All events of this resource." />
                  {types.map(({ type, description }) => (
                    <Pattern key={type} value={type} isChosen={isChosen} hint={description} />
                  ))}
                </div>
              </details>
            )
          })}
        </div>
      </div>
    )}
  </CheckBoxes>
)

const Pattern = ({
  value,
  isChosen,
  hint,
}: {
  value: string
  isChosen: (value: string) => boolean
  hint: string
}) => (
  <label class="check">
    <input type="checkbox" name="events" value={value} checked={isChosen(value)} />
    <span class="mono">{value}</span>
    <span class="hint">{hint}</span>
  </label>
)

/** Converts the submitted form to the API's format. */
export const readWebhookFields = (form: Form) => ({
  url: form.text('url'),
  description: form.text('description') ?? null,
  events: form.all('events'),
  rate_limit_per_second: form.number('rate_limit_per_second') ?? null,
  disable_after_failing_hours: form.number('disable_after_failing_hours') ?? null,
  ...readHeaderFields(form),
})
