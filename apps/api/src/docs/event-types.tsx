import { eventTypes, type EventType } from '@hosting/core/webhooks'
import { Table } from '@hosting/html'
import { exampleEnvelope } from '../api/schemas/envelope.ts'
import { memberColumns } from './operation.tsx'
import type { DocsPage } from './page.tsx'
import { membersOf } from './schema-members.ts'

const types = [...eventTypes.values()]

/** `/docs/events`: every event type with its schema and an example. */
export const eventTypesPage: DocsPage = {
  path: '/docs/events',
  title: 'Event types',
  contents: types.map(({ type }) => ({ id: type, text: type })),
  content: (
    <>
      <h1>Event types</h1>
      <p>
        An endpoint subscribes to event types, to all types of a resource (<code>site.*</code>) or
        to everything (<code>*</code>). The body of every delivery is the envelope of an event:{' '}
        <code>id</code>, <code>type</code>, <code>created_at</code>, <code>tenant_id</code> and{' '}
        <code>data</code>. This page describes <code>data</code>. New members may be added, so
        ignore those that you do not know. How to receive and verify events:{' '}
        <a href="/docs/webhooks">guide</a>.
      </p>
      <p>
        For programs:{' '}
        <a href="/docs/api/webhooks#webhooks.event-types">GET /webhooks/event-types</a> returns the
        same schemas and examples, and the <a href="/api/v1/openapi.json">OpenAPI document</a>{' '}
        describes each type under <code>webhooks</code>.
      </p>
      {types.map((eventType) => (
        <EventTypeSection key={eventType.type} eventType={eventType} />
      ))}
    </>
  ),
}

function EventTypeSection({ eventType }: { eventType: EventType }) {
  const { type, description, deprecated, reserved, schema } = eventType
  return (
    <section aria-labelledby={type}>
      <h2 id={type}>{type}</h2>
      <p>
        {description}
        {deprecated && ' Deprecated: use another type for new endpoints.'}
      </p>
      <div class="card">
        <Table
          caption={`Members of the data of ${type}`}
          columns={memberColumns}
          rows={membersOf(schema, 'data.')}
          keyOf={({ name }) => name}
        />
      </div>
      {!reserved && (
        <>
          <h3>Example</h3>
          <pre>
            <code class="language-json">{JSON.stringify(exampleEnvelope(eventType), null, 2)}</code>
          </pre>
        </>
      )}
      <details>
        <summary>JSON Schema of data</summary>
        <pre>
          <code class="language-json">{JSON.stringify(schema, null, 2)}</code>
        </pre>
      </details>
    </section>
  )
}
