import { minuteMs } from '@hosting/core/clock'
import { lowestUuidv7 } from '@hosting/core/ids'
import {
  containing,
  defineScan,
  ifGiven,
  partOf,
  scanPage,
  type ScannedRows,
  type ScanStep,
} from '../database/bounded-scan.ts'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { run } from '../database/statement.ts'
import type { Prisma } from '../generated/client.ts'

const { int, nullable, text, time, uuid } = types

/** A row of the audit log. */
export type AuditEventRow = Prisma.AuditEventGetPayload<object>

/** The filters of a list of audit entries. `since` is inclusive, `until` is exclusive. */
export interface AuditFilter {
  readonly tenantId: string
  readonly action: string | undefined
  /** Entries with this key as actor or as target. */
  readonly keyId: string | undefined
  readonly actorId: string | undefined
  readonly targetType?: string | undefined
  readonly targetId?: string | undefined
  readonly outcome?: string | undefined
  readonly ip?: string | undefined
  /** A part of a name in the entry, in any case. */
  readonly namePart?: string | undefined
  readonly since: Date | undefined
  readonly until: Date | undefined
}

/** The most entries of an index that are examined for a page. The log is never deleted. */
const examinedMax = 5_000

/**
 * Returns a page of the audit log, newest first: the entries before `beforeId`. If few of many entries match the filters,
 * the page is not full, and continues after `examinedTo`.
 *
 * @param examined - the most entries to examine. For tests.
 */
export async function listAuditEvents(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  filter: AuditFilter,
  { beforeId, take }: { beforeId: string | undefined; take: number },
  examined: number = examinedMax,
): Promise<ScannedRows<AuditEventRow>> {
  const statement = scans[narrowestIndexOf(filter)]
  const { positions, examinedTo } = await scanPage({ before: beforeId, take, examined }, (step) =>
    run(pool, statement, toValues(filter, step)),
  )
  const rows = await prisma.auditEvent.findMany({
    where: { id: { in: [...positions] } },
    orderBy: { id: 'desc' },
  })
  return { rows, examinedTo }
}

function narrowestIndexOf({ keyId, targetId, actorId, action }: AuditFilter): keyof typeof scans {
  if (keyId !== undefined) return 'key'
  if (targetId !== undefined) return 'target'
  if (actorId !== undefined) return 'actor'
  return action === undefined ? 'all' : 'action'
}

const parameters = {
  tenantId: uuid,
  action: nullable(text),
  actorId: nullable(text),
  keyId: nullable(text),
  targetType: nullable(text),
  targetId: nullable(text),
  outcome: nullable(text),
  ip: nullable(text),
  name: nullable(text),
  since: nullable(time),
  until: nullable(time),
  lowestId: nullable(uuid),
  untilId: nullable(uuid),
  beforeId: nullable(uuid),
  take: int,
  examined: int,
}

/** The names in an entry: of the actor, and what it says of the target, before and after a change. */
const names = `concat_ws(chr(10), actor_name, ${[
  "details ->> 'name'",
  "details ->> 'description'",
  "details ->> 'client_name'",
  ...['before', 'after'].flatMap((state) => [
    `details -> '${state}' ->> 'name'`,
    `details -> '${state}' ->> 'description'`,
  ]),
].join(', ')})`

/** The entries of an index. The id of a key or a target leads to entries of its organization only. */
const entriesWhere = (indexed: string): string => `
  SELECT id::text AS position, coalesce(
    tenant_id = :tenantId AND ${ifGiven('action', 'action = :action')}
      AND ${ifGiven('actorId', 'actor_id = :actorId')}
      AND ${ifGiven('keyId', `(actor_key_id = :keyId OR (target_type = 'api_key' AND target_id = :keyId))`)}
      AND ${ifGiven('targetType', 'target_type = :targetType')} AND ${ifGiven('targetId', 'target_id = :targetId')}
      AND ${ifGiven('outcome', 'outcome = :outcome')} AND ${ifGiven('ip', 'ip = :ip')}
      AND ${ifGiven('name', `${names} COLLATE "und-x-icu" ILIKE :name`)}
      AND ${ifGiven('since', 'occurred_at >= :since')} AND ${ifGiven('until', 'occurred_at < :until')},
    false) AS matches
  FROM audit_events
  WHERE ${indexed} AND ${ifGiven('lowestId', 'id >= :lowestId')}
    AND ${ifGiven('untilId', 'id < :untilId')} AND ${ifGiven('beforeId', 'id < :beforeId')}
  ORDER BY id DESC LIMIT :examined`

/** Returns the parts of a page that the indexes contain: the narrowest that the filters name. Locks nothing. */
const define = (name: string, ...indexed: readonly string[]) =>
  defineScan(
    `list-audit-events-${name}`,
    parameters,
    indexed.map((each) => partOf(entriesWhere(each))),
  )

const scans = {
  all: define('all', 'tenant_id = :tenantId'),
  action: define('action', 'tenant_id = :tenantId AND action = :action'),
  actor: define('actor', 'tenant_id = :tenantId AND actor_id = :actorId'),
  key: define('key', 'actor_key_id = :keyId', 'target_id = :keyId'),
  target: define('target', 'target_id = :targetId'),
}

/** How much earlier or later than its `occurred_at` the id of an entry may have been created, in ms. */
const idSlackMs = 10 * minuteMs

/** The ids of a span are found by the indexes, whereas `occurred_at` has none. */
const toValues = (
  { tenantId, since, until, namePart, ...filter }: AuditFilter,
  step: ScanStep,
) => ({
  tenantId,
  action: filter.action ?? null,
  actorId: filter.actorId ?? null,
  keyId: filter.keyId ?? null,
  targetType: filter.targetType ?? null,
  targetId: filter.targetId ?? null,
  outcome: filter.outcome ?? null,
  ip: filter.ip ?? null,
  name: containing(namePart),
  since: since ?? null,
  until: until ?? null,
  lowestId: since ? lowestUuidv7(Math.max(since.getTime() - idSlackMs, 0)) : null,
  untilId: until ? lowestUuidv7(Math.max(until.getTime() + idSlackMs, 0)) : null,
  beforeId: step.before ?? null,
  take: step.take,
  examined: step.examined,
})
