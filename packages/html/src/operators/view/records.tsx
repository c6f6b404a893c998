import type { Column } from '../../index.ts'
import type { RecordDay, RecoveryProgress } from '@hosting/postgres/operators'
import { recordTables, summarizeDays, type TableDays } from '../days.ts'
import type { OpsSnapshot } from '../snapshot.ts'
import { age, number, size } from './format.ts'
import {
  StateBadge,
  EndpointWithId,
  Moment,
  okOf,
  Read,
  Section,
  OperatorsTable,
} from './parts.tsx'
import { TableSection } from './table-section.tsx'

/** The running recoveries, and the last that ended. */
export const Recoveries = ({ snapshot: { recoveries, at } }: { snapshot: OpsSnapshot }) => (
  <TableSection
    title="Recoveries"
    anchor="recoveries"
    hint="Redeliveries of the dead deliveries of an endpoint: those in progress, and the last ten that completed."
    part={recoveries}
    columns={recoveryColumns(at)}
    rowsOf={(all) => all}
    keyOf={({ id }) => id}
    empty="There are no recent recoveries."
    okOf={(all) => all.every(({ status }) => status !== 'running') && 'None in progress'}
  />
)

const recoveryStates = {
  running: <StateBadge tone="warn">In progress</StateBadge>,
  done: <StateBadge tone="ok">Done</StateBadge>,
  cancelled: <StateBadge>Cancelled</StateBadge>,
}

const recoveryColumns = (at: Date): Column<RecoveryProgress>[] => [
  { name: 'Endpoint', show: (row) => <EndpointWithId {...row} /> },
  { name: 'Organization', show: ({ tenantName }) => <bdi>{tenantName}</bdi> },
  { name: 'State', show: ({ status }) => recoveryStates[status] },
  {
    name: 'Redelivered',
    show: ({ done, total, endpointName }) => (
      <>
        {number(done)} of {number(total)}
        <progress
          value={done}
          max={Math.max(1, total)}
          aria-label={`Recovery of ${endpointName}`}
        />
      </>
    ),
  },
  { name: 'Requested', show: ({ createdAt }) => `${age(+at - +createdAt)} ago` },
]

/** The day partitions of the records. */
export const RecordsSection = ({ snapshot: { days, at } }: { snapshot: OpsSnapshot }) => (
  <Section
    title="Records by day"
    anchor="partitions-are-missing"
    ok={okOf(days, (all) => isComplete(summarizeDays(all, at)) && 'Complete')}
    hint="Events, deliveries and attempts have one partition per day, in UTC. The worker creates them a week ahead."
  >
    <Read part={days} from="PostgreSQL">
      {(all) => (
        <>
          <OperatorsTable
            caption="Day partitions by table"
            columns={tableColumns}
            rows={summarizeDays(all, at)}
            keyOf={({ table }) => table}
            empty=""
          />
          <details>
            <summary>Sizes of the {number(all.length)} days</summary>
            <OperatorsTable
              caption="Sizes by day"
              columns={dayColumns}
              rows={all.toReversed()}
              keyOf={({ day }) => day}
              empty="There are no days."
            />
          </details>
        </>
      )}
    </Read>
  </Section>
)

const isComplete = (tables: readonly TableDays[]): boolean =>
  tables.every(({ missing, leaving }) => missing.length + leaving.length === 0)

const tableColumns: readonly Column<TableDays>[] = [
  { name: 'Table', show: ({ table }) => <code>{table}</code> },
  { name: 'Days', numeric: true, show: ({ count }) => number(count) },
  {
    name: 'From – to',
    show: ({ first, last }) => <span class="nowrap">{first ? `${first} – ${last}` : '–'}</span>,
  },
  { name: 'Days ahead', numeric: true, show: ({ ahead }) => number(ahead) },
  { name: 'Size', numeric: true, show: ({ bytes }) => size(bytes) },
  {
    name: 'State',
    show: ({ missing, leaving }) => (
      <>
        {missing.length > 0 && (
          <StateBadge tone="bad">{`Missing: ${missing.join(', ')}`}</StateBadge>
        )}
        {leaving.length > 0 && (
          <StateBadge tone="warn">{`Being dropped: ${leaving.join(', ')}`}</StateBadge>
        )}
        {missing.length + leaving.length === 0 && <StateBadge tone="ok">Complete</StateBadge>}
      </>
    ),
  },
]

const dayColumns: readonly Column<RecordDay>[] = [
  { name: 'Day', show: ({ day }) => <span class="nowrap">{day}</span> },
  ...recordTables.map((table): Column<RecordDay> => ({
    name: table,
    numeric: true,
    show: ({ partitions: { [table]: partition } }) => (partition ? size(partition.bytes) : '–'),
  })),
]

/** Work that waits for a duty: key changes for Redis, and seals. */
export const Duties = ({ snapshot }: { snapshot: OpsSnapshot }) => (
  <>
    <Section
      title="Revocations to deliver"
      anchor="pending-revocations"
      ok={okOf(snapshot.invalidations, ({ count }) => count === 0 && 'None')}
      hint="Key changes that have not reached Redis. PostgreSQL has already notified every API process."
    >
      <Read part={snapshot.invalidations} from="PostgreSQL">
        {(backlog) => (
          <Waiting backlog={backlog} at={snapshot.at} none="Every change has reached Redis." />
        )}
      </Read>
    </Section>
    <Section
      title="Audit entries to seal"
      anchor="health"
      ok={okOf(snapshot.unsealed, ({ count }) => count === 0 && 'None')}
      hint="Written, but not yet part of the hash chain of their organization."
    >
      <Read part={snapshot.unsealed} from="PostgreSQL">
        {(backlog) => <Waiting backlog={backlog} at={snapshot.at} none="Every entry is sealed." />}
      </Read>
    </Section>
  </>
)

type Backlog = Extract<OpsSnapshot['unsealed'], { value: unknown }>['value']

const Waiting = ({ backlog, at, none }: { backlog: Backlog; at: Date; none: string }) =>
  backlog.count === 0 ? (
    <p class="empty">{none}</p>
  ) : (
    <dl class="facts">
      <div>
        <dt>Waiting</dt>
        <dd>{backlog.isMore ? `more than ${number(backlog.count)}` : number(backlog.count)}</dd>
      </div>
      <div>
        <dt>{backlog.isMore ? 'Oldest of these' : 'Oldest'}</dt>
        <dd>
          {backlog.oldestAt === null ? (
            '–'
          ) : (
            <>
              {age(+at - +backlog.oldestAt)} ago, <Moment at={backlog.oldestAt} />
            </>
          )}
        </dd>
      </div>
    </dl>
  )
