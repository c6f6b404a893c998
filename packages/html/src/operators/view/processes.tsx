import { dayMs } from '@hosting/core/clock'
import {
  interruptionsMax,
  sampleMissingMs,
  type Interruption,
  type ProcessState,
} from '@hosting/postgres/operators'
import type { Column } from '../../index.ts'
import { checkLabel } from '../findings.ts'
import type { OpsSnapshot } from '../snapshot.ts'
import { age, number } from './format.ts'
import { StateBadge, Moment, OperatorsTable, Read, Section } from './parts.tsx'

/** All processes of the installation in the last 24 hours, and when they were not ready. */
export const Processes = ({
  snapshot: { processes, interruptions, at },
}: {
  snapshot: OpsSnapshot
}) => (
  <Section
    title="Processes"
    anchor="health"
    hint="Every API and worker of the installation. Each writes a sample every ten seconds."
  >
    <Read part={processes} from="PostgreSQL">
      {(all) => {
        const [running = [], ended = []] = split(all, at)
        const known = 'value' in interruptions ? interruptions.value : []
        return (
          <>
            <OperatorsTable
              caption="Processes"
              columns={columns(known, at)}
              rows={running}
              keyOf={({ id }) => id}
              empty="No process has written a sample yet."
            />
            {ended.length > 0 && (
              <details>
                <summary>{number(ended.length)} that ended in the last 24 hours</summary>
                <OperatorsTable
                  caption="Ended processes"
                  columns={columns(known, at)}
                  rows={ended}
                  keyOf={({ id }) => id}
                  empty=""
                />
              </details>
            )}
          </>
        )
      }}
    </Read>
    <Read part={interruptions} from="PostgreSQL">
      {(all) => all.length > 0 && <Interruptions all={all} processes={processes} at={at} />}
    </Read>
  </Section>
)

/** A process without a sample for ten minutes has ended. */
const endedMs = 600_000

/** Divides the processes into those that run, or should, and those that have ended. */
const split = (all: readonly ProcessState[], at: Date) => [
  all.filter(({ lastAt }) => +at - +lastAt <= endedMs),
  all.filter(({ lastAt }) => +at - +lastAt > endedMs),
]

const columns = (interruptions: readonly Interruption[], at: Date): Column<ProcessState>[] => [
  { name: 'Process', show: (process) => <Name process={process} /> },
  { name: 'State', show: (process) => <State process={process} at={at} /> },
  {
    name: 'Last 24 hours',
    show: (process) => (
      <Strip
        process={process}
        interruptions={interruptions.filter(({ processId }) => processId === process.id)}
        at={at}
      />
    ),
  },
  { name: 'Published', numeric: true, show: ({ published }) => number(published) },
  { name: 'Attempted', numeric: true, show: ({ attempted }) => number(attempted) },
]

const Name = ({ process: { kind, host, pid } }: { process: ProcessState }) => (
  <>
    <span class="name">{kind === 'api' ? 'API' : 'Worker'}</span>
    <code>
      {host}, {pid}
    </code>
  </>
)

function State({ process: { lastAt, failed }, at }: { process: ProcessState; at: Date }) {
  const silentMs = +at - +lastAt
  if (silentMs > endedMs) return <StateBadge>{`Ended ${age(silentMs)} ago`}</StateBadge>
  if (silentMs > sampleMissingMs)
    return <StateBadge tone="bad">{`Silent for ${age(silentMs)}`}</StateBadge>
  if (failed.length === 0) return <StateBadge tone="ok">Ready</StateBadge>
  return <StateBadge tone="bad">{`Not ready: ${failed.map(checkLabel).join(', ')}`}</StateBadge>
}

const [width, height] = [480, 12]

/** When the process ran, with the times in which it was not ready or silent. */
function Strip({
  process: { firstAt, lastAt },
  interruptions,
  at,
}: {
  process: ProcessState
  interruptions: readonly Interruption[]
  at: Date
}) {
  const xOf = (moment: Date): number => Math.max(0, width - ((+at - +moment) / dayMs) * width)
  const widthOf = (start: Date, end: Date): number => Math.max(2, xOf(end) - xOf(start))
  const label =
    interruptions.length === 0
      ? 'Always ready'
      : `${number(interruptions.length)} ${interruptions.length === 1 ? 'interruption' : 'interruptions'}`
  return (
    <svg
      class="uptime"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <rect class="bar-of" width={width} height={height} />
      <rect class="is-ready" x={xOf(firstAt)} width={widthOf(firstAt, lastAt)} height={height} />
      {interruptions.map(({ start, end, failed }) => (
        <rect
          key={start.getTime()}
          class={failed.length === 0 ? 'is-silent' : 'is-failed'}
          x={xOf(start)}
          width={widthOf(start, end)}
          height={height}
        >
          <title>{reasonOf(failed)}</title>
        </rect>
      ))}
    </svg>
  )
}

const reasonOf = (failed: readonly string[]): string =>
  failed.length === 0 ? 'Silent' : `Not ready: ${failed.map(checkLabel).join(', ')}`

function Interruptions({
  all,
  processes,
  at,
}: {
  all: readonly Interruption[]
  processes: OpsSnapshot['processes']
  at: Date
}) {
  const known = new Map(
    'value' in processes ? processes.value.map((process) => [process.id, process]) : [],
  )
  return (
    <details>
      <summary>
        {all.length < interruptionsMax ? number(all.length) : `The last ${number(all.length)}`}{' '}
        interruptions
      </summary>
      <OperatorsTable
        caption="Interruptions"
        rows={all}
        keyOf={({ processId, start }) => `${processId} ${start.getTime()}`}
        empty=""
        columns={[
          { name: 'Began', show: ({ start }) => <Moment at={start} /> },
          { name: 'Lasted', numeric: true, show: ({ start, end }) => age(+end - +start) },
          { name: 'Reason', show: ({ failed }) => reasonOf(failed) },
          {
            name: 'Process',
            show: ({ processId }) => {
              const process = known.get(processId)
              return process ? <Name process={process} /> : <code>{processId}</code>
            },
          },
          { name: 'Ended', numeric: true, show: ({ end }) => `${age(+at - +end)} ago` },
        ]}
      />
    </details>
  )
}
