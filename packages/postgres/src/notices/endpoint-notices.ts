import { noticeSubjectNameLengthMax, type NoticeDetail } from '@hosting/core/notices'
import { endpointName } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { defineStatement, run, runIn } from '../database/statement.ts'
import { writeNotice } from './write-notice.ts'

const { bool, int, jsonb, named, notNull, nullable, text, uuid } = types

type IncidentNoticeType = 'webhook.failing' | 'webhook.recovered'

/** An endpoint that a notice is about. */
interface NoticedEndpoint {
  readonly endpointId: string
  readonly tenantId: string
  readonly url: string
  readonly description: string | null
}

/** What happened to an endpoint. */
interface EndpointNotice extends NoticedEndpoint {
  readonly type: IncidentNoticeType | 'webhook.disabled'
  readonly occurrence: string
  readonly details: Readonly<Record<string, NoticeDetail>>
}

/** Writes a notice about an endpoint to the admins of its organization. */
async function writeEndpointNotice(
  tx: Transaction,
  { endpointId, tenantId, url, description, type, occurrence, details }: EndpointNotice,
): Promise<void> {
  const name = Array.from(endpointName({ url, description }))
    .slice(0, noticeSubjectNameLengthMax)
    .join('')
  const subject = { type: 'webhook', id: endpointId, name } as const
  await writeNotice(tx, { type, occurrence, subject, details, to: { adminsOf: tenantId } })
}

/** An endpoint that a transaction has disabled because it fails. */
interface DisabledForFailing extends NoticedEndpoint {
  readonly hours: number | null
  readonly disabledAt: Date
}

/** Writes the notice of an endpoint that the transaction has disabled because it fails, and publishes its event. */
export async function writeDisabledNotice(
  tx: Transaction,
  { hours, disabledAt, ...endpoint }: DisabledForFailing,
): Promise<void> {
  const { endpointId } = endpoint
  const last = await tx.webhookIncident.findFirst({
    where: { endpointId },
    orderBy: { id: 'desc' },
    select: { lastStatusCode: true, lastErrorClass: true },
  })
  const failure = {
    statusCode: last?.lastStatusCode ?? null,
    errorClass: last?.lastErrorClass ?? null,
  }
  await writeEndpointNotice(tx, {
    ...endpoint,
    type: 'webhook.disabled',
    occurrence: `${endpointId} ${disabledAt.toISOString()}`,
    details: { hours, status_code: failure.statusCode, error_class: failure.errorClass },
  })
  await runIn(tx, publishStatement, { endpointId, ...failure })
}

/** Publishes the event of a disabled endpoint, in the transaction. */
const publishStatement = defineStatement({
  name: 'publish-disabled-endpoint',
  takes: { endpointId: uuid, errorClass: nullable(text), statusCode: nullable(int) },
  gives: { published: nullable(text) },
  sql: `
    SELECT publish_endpoint_event('endpoint.disabled', e, :errorClass, :statusCode)::text AS published
    FROM webhook_endpoints e WHERE e.id = :endpointId`,
})

/**
 * Writes the notices of incidents that `announce_incident` handed over, in the order of the incidents. Of the processes
 * that call it at the same time, one does the work.
 *
 * @returns the number of notices that were taken, at most `rowsMax`.
 */
export async function writeIncidentNotices(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  rowsMax: number,
): Promise<number> {
  const [row] = await run(pool, workStatement, {})
  if (!row!.hasIncidents) return 0
  return prisma.$transaction(async (tx) => {
    const taken = await runIn(tx, takeStatement, { rowsMax })
    for (const { incidentId, ...notice } of taken)
      await writeEndpointNotice(tx, { ...notice, occurrence: incidentId })
    return taken.length
  })
}

/** Returns whether there is something to do, because a worker at rest keeps Prisma out of its memory. Locks nothing. */
const workStatement = defineStatement({
  name: 'find-incidents-to-notify-of',
  takes: {},
  gives: { hasIncidents: notNull(bool, 'EXISTS'), hasEndedLimits: notNull(bool, 'EXISTS') },
  sql: `
    SELECT EXISTS (SELECT FROM incident_notices) AS has_incidents,
      EXISTS (SELECT FROM webhook_notice_limits WHERE next_at <= statement_timestamp()) AS has_ended_limits`,
})

/** Takes incidents with their endpoints, unless another transaction does. Those of deleted endpoints are dropped. */
const takeStatement = defineStatement({
  name: 'take-incident-notices',
  takes: { rowsMax: int },
  gives: {
    incidentId: uuid,
    type: named<IncidentNoticeType>('text'),
    details: jsonb<EndpointNotice['details']>(),
    endpointId: uuid,
    tenantId: uuid,
    url: text,
    description: nullable(text),
  },
  sql: `
    WITH mine AS MATERIALIZED (
      SELECT pg_try_advisory_xact_lock(hashtext('incident_notices')) AS is_locked
    ), next AS MATERIALIZED (
      SELECT incident_id, type FROM incident_notices WHERE (SELECT is_locked FROM mine)
      ORDER BY incident_id, type LIMIT :rowsMax
    ), taken AS (
      DELETE FROM incident_notices n USING next
      WHERE n.incident_id = next.incident_id AND n.type = next.type RETURNING n.*
    )
    SELECT t.incident_id, t.type, t.details, e.id AS endpoint_id, e.tenant_id, e.url, e.description
    FROM taken t JOIN webhook_endpoints e ON e.id = t.endpoint_id AND e.deleted_at IS NULL
    ORDER BY t.incident_id, t.type`,
})

/**
 * Announces incidents that had to wait because their endpoint had a notice shortly before, if they are still news. Any
 * number of processes may call it.
 *
 * @returns the number of endpoints and types that it processed, at most `rowsMax`.
 */
export async function announceWaitingIncidents(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  rowsMax: number,
): Promise<number> {
  const [row] = await run(pool, workStatement, {})
  if (!row!.hasEndedLimits) return 0
  return prisma.$transaction(async (tx) => {
    const due = await runIn(tx, dueStatement, { rowsMax })
    for (const { endpointId, type } of due) {
      const announced = await runIn(tx, announceStatement, { endpointId, type })
      if (announced.length > 0) continue
      await tx.webhookNoticeLimit.delete({ where: { endpointId_type: { endpointId, type } } })
    }
    return due.length
  })
}

/** Locks limits that have ended. */
const dueStatement = defineStatement({
  name: 'lock-ended-notice-limits',
  takes: { rowsMax: int },
  gives: { endpointId: uuid, type: text },
  sql: `
    SELECT endpoint_id, type FROM webhook_notice_limits WHERE next_at <= statement_timestamp()
    ORDER BY next_at LIMIT :rowsMax FOR UPDATE SKIP LOCKED`,
})

/**
 * Announces the waiting incident of an endpoint if it is still news: the endpoint still fails, or it has recovered and
 * the last notice says that it fails. Returns a row if so.
 */
const announceStatement = defineStatement({
  name: 'announce-waiting-incident',
  takes: { endpointId: uuid, type: text },
  gives: { announced: nullable(text) },
  sql: `
    SELECT announce_incident(i, w.type)::text AS announced
    FROM webhook_notice_limits w JOIN webhook_incidents i ON i.id = w.waiting_incident_id
    JOIN webhook_endpoints e ON e.id = w.endpoint_id AND e.deleted_at IS NULL
    WHERE w.endpoint_id = :endpointId AND w.type = :type AND CASE w.type
      WHEN 'webhook.failing' THEN i.closed_at IS NULL
      ELSE i.closed_by = 'success'
        AND NOT EXISTS (
          SELECT FROM webhook_incidents o WHERE o.endpoint_id = w.endpoint_id AND o.closed_at IS NULL
        )
        AND EXISTS (SELECT FROM webhook_notice_limits l WHERE l.endpoint_id = w.endpoint_id
          AND l.type = 'webhook.failing' AND l.next_at > w.next_at)
    END`,
})
