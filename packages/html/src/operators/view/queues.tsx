import type { Column } from '../../index.ts'
import { slowLookedAtMax, type SlowLane } from '@hosting/postgres/operators'
import { boardPath } from './document.tsx'
import type { OpsSnapshot, QueueCounts } from '../snapshot.ts'
import { age, number } from './format.ts'
import { EndpointWithId, Moment, okOf, Read, Section, OperatorsTable } from './parts.tsx'

/** The endpoints in the slow lane. */
export const SlowEndpoints = ({ snapshot: { slowLane, at } }: { snapshot: OpsSnapshot }) => (
  <Section
    title="Slow lane"
    anchor="a-slow-endpoint"
    ok={okOf(slowLane, ({ count }) => count === 0 && 'Empty')}
    hint="Endpoints that timed out recently. They delay each other, but no other endpoints."
  >
    <Read part={slowLane} from="PostgreSQL">
      {({ endpoints, count, isMore }) => (
        <>
          <OperatorsTable
            caption="Endpoints in the slow lane"
            columns={slowColumns(at)}
            rows={endpoints}
            keyOf={({ endpointId }) => endpointId}
            empty="No endpoint is in the slow lane."
          />
          {count > endpoints.length && (
            <p class="note">
              The {endpoints.length} that remain longest, of {number(count)}.
            </p>
          )}
          {isMore && <p class="note">Only {number(slowLookedAtMax)} endpoints were read.</p>}
        </>
      )}
    </Read>
  </Section>
)

const slowColumns = (at: Date): Column<SlowLane['endpoints'][number]>[] => [
  { name: 'Endpoint', show: (row) => <EndpointWithId {...row} /> },
  { name: 'Organization', show: ({ tenantName }) => <bdi>{tenantName}</bdi> },
  { name: 'Until', show: ({ slowUntil }) => <Moment at={slowUntil} /> },
  { name: 'Remaining', numeric: true, show: ({ slowUntil }) => age(+slowUntil - +at) },
]

/** More queues are collapsed, because there may be many shards. */
const queuesOpenMax = 8

/** The jobs in Redis, which are the next part of the backlog. */
export const RedisQueues = ({
  queues,
  state,
}: {
  queues: NonNullable<OpsSnapshot['queues']>
  state: OpsSnapshot['state']
}) => (
  <Section
    title="Queues in Redis"
    anchor="a-consumer-is-stuck"
    ok={okOf(
      queues,
      (all) => 'value' in state && all.every(({ waiting }) => waiting === 0) && 'Nothing waits',
    )}
    hint="A job holds up to ten attempts. Few wait here: the backlog stays in PostgreSQL until a worker can take it."
  >
    <Read part={queues} from="Redis">
      {(all) => {
        const table = (
          <OperatorsTable
            caption="Jobs by queue"
            columns={queueColumns}
            rows={all}
            keyOf={({ name }) => name}
            empty="There are no queues."
          />
        )
        return all.length <= queuesOpenMax ? (
          table
        ) : (
          <details>
            <summary>Jobs of the {number(all.length)} queues</summary>
            {table}
          </details>
        )
      }}
    </Read>
    <Read part={state} from="Redis">
      {({ waiting, backlogged }) => (
        <p class="note">
          Waiting to be taken: {number(waiting.normal)} in the normal lane, {number(waiting.slow)}{' '}
          in the slow lane. Endpoints with more due deliveries than slots:{' '}
          {backlogged ? number(backlogged.size) : 'too many to count'}.
        </p>
      )}
    </Read>
  </Section>
)

const queueColumns: readonly Column<QueueCounts>[] = [
  {
    name: 'Queue',
    show: ({ name }) => <a href={`${boardPath}/queue/${encodeURIComponent(name)}`}>{name}</a>,
  },
  { name: 'Waiting', numeric: true, show: ({ waiting }) => number(waiting) },
  { name: 'Not due yet', numeric: true, show: ({ delayed }) => number(delayed) },
]
