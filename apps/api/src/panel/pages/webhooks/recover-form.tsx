import { Radios, TextField } from '../../view/fields.tsx'
import { Zone } from '../../view/time.tsx'
import { toFieldMoment } from '../../view/moments.ts'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { EventFilter } from './event-picker.tsx'
import type { RecoveryError, RecoveryOptions } from './recovery-choice.ts'

/** Chooses what a recovery sends. Its values are part of the URL. */
export const RecoverForm = ({
  endpoint,
  query,
  options,
  wrong,
}: {
  endpoint: EndpointRecord
  query: Readonly<Record<string, string>>
  options: RecoveryOptions
  wrong: RecoveryError | undefined
}) => (
  <form class="form" method="get" action={`/webhooks/${endpoint.id}/recover`}>
    <Range query={query} wrong={wrong} />
    <Radios
      name="status"
      label="Send"
      value={options.status}
      choices={[
        {
          value: 'dead',
          label: 'What has not arrived',
          hint: 'Events of failed deliveries, unless they have arrived since or are being delivered.',
        },
        {
          value: 'any',
          label: 'Everything again',
          hint: 'Also events that have arrived. Your receiver gets them again with the same event ID.',
        },
      ]}
    />
    <div class="choices cards">
      <label class="check">
        <input type="checkbox" name="backfill" value="true" checked={options.backfill} />
        <span>Also events that were never sent to this endpoint</span>
        <span class="hint">
          Events of its event types from before it was added, or before it subscribed to them.
        </span>
      </label>
    </div>
    <EventFilter subscribed={endpoint.events} chosen={options.eventTypes} />
    <div class="buttons">
      <button type="submit" class="button">
        Count events
      </button>
    </div>
  </form>
)

const Range = ({
  query,
  wrong,
}: {
  query: Readonly<Record<string, string>>
  wrong: RecoveryError | undefined
}) => (
  <>
    <Radios
      name="range"
      label="Time range"
      value={query['range'] ?? '24h'}
      choices={[
        { value: '1h', label: 'Last hour' },
        { value: '24h', label: 'Last 24 hours' },
        { value: '7d', label: 'Last 7 days' },
        { value: '30d', label: 'Last 30 days' },
        { value: 'custom', label: 'Another range', hint: 'Enter it below.' },
      ]}
    />
    <div class="grid custom-range">
      <TextField
        name="from"
        label="From"
        type="datetime-local"
        value={toFieldMoment(query['from'])}
        error={wrong?.field === 'from' ? wrong.error : undefined}
        hint={<Zone />}
      />
      <TextField
        name="to"
        label="Before"
        type="datetime-local"
        value={toFieldMoment(query['to'])}
        error={wrong?.field === 'to' ? wrong.error : undefined}
        hint={
          <>
            <Zone />. Leave empty for the current time.
          </>
        }
      />
    </div>
  </>
)
