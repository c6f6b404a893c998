import type { Part, SampledProcess } from '@hosting/postgres/operators'
import { checkLabel, findingsOf } from '../findings.ts'
import type { AuditSnapshot, OpsSnapshot } from '../snapshot.ts'
import { runbookLink } from '../runbook.ts'
import { summarizeDays } from '../days.ts'
import type { OperatorsPage } from './document.tsx'
import { Blockers } from './blockers.tsx'
import { EndpointBacklogs, TenantBacklogs, WaitingBacklogs } from './backlog.tsx'
import { FailingEndpointTable } from './failing.tsx'
import { age, endpointNoun, number, upTo } from './format.ts'
import { History } from './history.tsx'
import { StateBadge, Moment, Read, Section } from './parts.tsx'
import { Processes } from './processes.tsx'
import { RedisQueues, SlowEndpoints } from './queues.tsx'
import { Duties, RecordsSection, Recoveries } from './records.tsx'

/** What a process is called in a sentence. */
const processNames = { api: 'API process', worker: 'worker' } as const

interface Frame {
  readonly process: SampledProcess
  /** `undefined`: the page does not reload itself. */
  readonly refreshSeconds: number | undefined
}

/** The overview for operators. */
export const operationsPage = (snapshot: OpsSnapshot, frame: Frame): OperatorsPage => ({
  title: 'Operations',
  path: '/operations',
  refreshSeconds: frame.refreshSeconds,
  body: <Operations snapshot={snapshot} {...frame} />,
})

const Operations = ({ snapshot, process, refreshSeconds }: { snapshot: OpsSnapshot } & Frame) => (
  <>
    <header class="head">
      <h1>Operations</h1>
      <p>
        As seen by {processNames[process.kind]} <code>{process.host}</code>, process {process.pid},
        at <Moment at={snapshot.at} />.{' '}
        {refreshSeconds === undefined ? (
          <>
            Automatic refresh is off. <a href="/operations">Turn it on</a>
          </>
        ) : (
          <>
            Refreshes every {refreshSeconds} seconds. <a href="/operations?refresh=off">Turn off</a>
          </>
        )}
      </p>
    </header>
    <Findings snapshot={snapshot} kind={process.kind} />
    <History snapshot={snapshot} />
    <Tiles snapshot={snapshot} />
    <Processes snapshot={snapshot} />
    <Blockers snapshot={snapshot} />
    <EndpointBacklogs snapshot={snapshot} />
    <TenantBacklogs snapshot={snapshot} />
    <div class="grid">
      <SlowEndpoints snapshot={snapshot} />
      <WaitingBacklogs snapshot={snapshot} />
    </div>
    <FailingEndpointTable snapshot={snapshot} />
    {snapshot.queues && <RedisQueues queues={snapshot.queues} state={snapshot.state} />}
    <Recoveries snapshot={snapshot} />
    <RecordsSection snapshot={snapshot} />
    <div class="grid three">
      <Duties snapshot={snapshot} />
      <Checks snapshot={snapshot} kind={process.kind} />
    </div>
  </>
)

function Findings({ snapshot, kind }: { snapshot: OpsSnapshot; kind: SampledProcess['kind'] }) {
  const findings = findingsOf(snapshot, processNames[kind])
  const unread = Object.values(snapshot).some(
    (part: unknown) => typeof part === 'object' && part !== null && 'error' in part,
  )
  if (findings.length === 0) {
    return unread ? (
      <div class="alert bad">
        <p>
          <strong>Some sections could not be loaded.</strong> They are marked below.
        </p>
      </div>
    ) : (
      <div class="alert ok">
        <strong>Nothing needs attention.</strong>
      </div>
    )
  }
  return (
    <div class={`alert ${findings[0]!.tone}`}>
      <div>
        <strong>Needs attention</strong>
        <ul>
          {findings.map(({ text, anchor }) => (
            <li key={text}>
              {text}{' '}
              <a href={runbookLink(anchor)} aria-label={`What to do: ${text}`}>
                What to do
              </a>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function Tiles({ snapshot }: { snapshot: OpsSnapshot }) {
  const { backlog, slowLane, failing, state, invalidations, days, at } = snapshot
  const show = <T,>(part: Part<T>, toText: (value: T) => string): string =>
    'value' in part ? toText(part.value) : '–'
  return (
    <div class="tiles">
      <Tile name="Due now" note="deliveries of enabled endpoints">
        {show(backlog, ({ open }) => upTo(open.due))}
      </Tile>
      <Tile name="Oldest due for" note="of an enabled endpoint">
        {show(backlog, ({ open }) => (open.oldestDueAt ? age(+at - +open.oldestDueAt) : '–'))}
      </Tile>
      <Tile name="Slow lane" note={show(slowLane, ({ count }) => endpointNoun(count))}>
        {show(slowLane, ({ count }) => number(count))}
      </Tile>
      <Tile name="Failing" note={show(failing, ({ count }) => endpointNoun(count))}>
        {show(failing, upTo)}
      </Tile>
      <Tile name="Jobs waiting" note="in Redis">
        {show(state, ({ waiting }) => number(waiting.normal + waiting.slow))}
      </Tile>
      <Tile name="Revocations" note="not in Redis yet">
        {show(invalidations, upTo)}
      </Tile>
      <Tile name="Days ahead" note="of partitions">
        {show(days, (all) => number(Math.min(...summarizeDays(all, at).map(({ ahead }) => ahead))))}
      </Tile>
    </div>
  )
}

const Tile = ({ name, note, children }: { name: string; note: string; children: string }) => (
  <dl class="card tile">
    <dt>{name}</dt>
    <dd>{children}</dd>
    <dd class="tile-note">{note}</dd>
  </dl>
)

/** The readiness checks of this process. Those that are ok are folded. */
const Checks = ({
  snapshot: { checks, audit },
  kind,
}: {
  snapshot: OpsSnapshot
  kind: SampledProcess['kind']
}) => (
  <Section
    title={`This ${processNames[kind]}`}
    anchor="health"
    hint="Its readiness checks, as at /readyz."
  >
    <Read part={checks} from="PostgreSQL">
      {(all) => {
        const [passed = [], failed = []] = splitChecks(Object.entries(all))
        return (
          <>
            {failed.length > 0 && <CheckList checks={failed} />}
            {audit && (
              <dl class="facts">
                <div>
                  <dt>audit log</dt>
                  <dd>
                    <AuditRights {...audit} />
                  </dd>
                </div>
              </dl>
            )}
            {audit?.mayRewrite && (
              <p class="note">
                This worker's database role may change the audit log.{' '}
                <a href={runbookLink('the-audit-log-was-changed')}>Use another role</a>
              </p>
            )}
            {passed.length > 0 && (
              <details>
                <summary>
                  {passed.length === 1 ? '1 check is ok' : `${passed.length} checks are ok`}
                </summary>
                <CheckList checks={passed} />
              </details>
            )}
          </>
        )
      }}
    </Read>
  </Section>
)

type Check = readonly [name: string, result: string]

const splitChecks = (all: readonly Check[]) => [
  all.filter(([, result]) => result === 'ok'),
  all.filter(([, result]) => result !== 'ok'),
]

const CheckList = ({ checks }: { checks: readonly Check[] }) => (
  <dl class="facts">
    {checks.map(([name, result]) => (
      <div key={name}>
        <dt>{checkLabel(name)}</dt>
        <dd>
          <StateBadge tone={result === 'ok' ? 'ok' : 'bad'}>{result}</StateBadge>
        </dd>
      </div>
    ))}
  </dl>
)

/** The rights of this worker's database role on the audit log. */
const AuditRights = ({ mayRewrite }: AuditSnapshot) =>
  mayRewrite ? (
    <StateBadge tone="warn">can be altered</StateBadge>
  ) : (
    <StateBadge tone="ok">append-only</StateBadge>
  )
