import type { Part } from '@hosting/postgres/operators'
import { checkLabel, findingsOf } from '../findings.ts'
import type { AuditSnapshot, OpsSnapshot } from '../snapshot.ts'
import { runbookLink } from '../runbook.ts'
import { summarizeDays } from '../days.ts'
import type { OperatorsPage } from './document.tsx'
import { EndpointBacklogs, TenantBacklogs, WaitingBacklogs } from './backlog.tsx'
import { FailingEndpointTable } from './failing.tsx'
import { age, number, upTo } from './format.ts'
import { Badge, Moment, Read, Section } from './parts.tsx'
import { RedisQueues, SlowEndpoints } from './queues.tsx'
import { Duties, RecordsSection, Recoveries } from './records.tsx'

interface Frame {
  readonly worker: { readonly host: string; readonly pid: number }
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

const Operations = ({ snapshot, worker, refreshSeconds }: { snapshot: OpsSnapshot } & Frame) => (
  <>
    <header class="head">
      <h1>Operations</h1>
      <p>
        As seen by worker <code>{worker.host}</code>, process {worker.pid}, at{' '}
        <Moment at={snapshot.at} />.{' '}
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
    <Findings snapshot={snapshot} />
    <Tiles snapshot={snapshot} />
    <EndpointBacklogs snapshot={snapshot} />
    <TenantBacklogs snapshot={snapshot} />
    <div class="grid">
      <SlowEndpoints snapshot={snapshot} />
      <WaitingBacklogs snapshot={snapshot} />
    </div>
    <FailingEndpointTable snapshot={snapshot} />
    <RedisQueues snapshot={snapshot} />
    <Recoveries snapshot={snapshot} />
    <RecordsSection snapshot={snapshot} />
    <div class="grid three">
      <Duties snapshot={snapshot} />
      <Checks snapshot={snapshot} />
    </div>
  </>
)

function Findings({ snapshot }: { snapshot: OpsSnapshot }) {
  const findings = findingsOf(snapshot)
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
      <Tile name="Slow lane" note="endpoints">
        {show(slowLane, ({ count }) => number(count))}
      </Tile>
      <Tile name="Failing" note="endpoints">
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

/** The readiness checks of this worker. */
const Checks = ({ snapshot: { checks, audit } }: { snapshot: OpsSnapshot }) => (
  <Section title="This worker" anchor="health" hint="Its readiness checks, as at /readyz.">
    <Read part={checks} from="PostgreSQL">
      {(all) => (
        <dl class="facts">
          {Object.entries(all).map(([name, result]) => (
            <div key={name}>
              <dt>{checkLabel(name)}</dt>
              <dd>
                <Badge tone={result === 'ok' ? 'ok' : 'bad'}>{result}</Badge>
              </dd>
            </div>
          ))}
          <div>
            <dt>audit log</dt>
            <dd>
              <AuditRights {...audit} />
            </dd>
          </div>
        </dl>
      )}
    </Read>
  </Section>
)

/** The rights of this worker's database role on the audit log. */
const AuditRights = ({ mayRewrite }: AuditSnapshot) =>
  mayRewrite ? (
    <>
      <Badge tone="warn">can be altered</Badge> This worker's database role may change the audit
      log. <a href={runbookLink('the-audit-log-was-changed')}>Use another role</a>
    </>
  ) : (
    <Badge tone="ok">append-only</Badge>
  )
