import {
  incidentNoticeEveryMinutes,
  noticeSubjectNameLengthMax,
  type NoticeDetail,
} from '@hosting/core/notices'
import { endpointName } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import { writeNotice } from './write-notice.ts'

const { bool, int, jsonb, named, notNull, nullable, text, uuid } = types

type IncidentNoticeType = 'webhook.failing' | 'webhook.recovered'

/** The last failure of an endpoint. */
interface LastFailure extends Readonly<Record<string, NoticeDetail>> {
  readonly status_code: number | null
  readonly error_class: string | null
}

/** What happened to an endpoint. */
interface EndpointNotice {
  readonly endpointId: string
  readonly type: IncidentNoticeType | 'webhook.disabled'
  readonly occurrence: string
  readonly details: LastFailure
}

/** The event that an organization's own endpoints get with each type of notice. */
const eventTypes = {
  'webhook.failing': 'endpoint.failing',
  'webhook.recovered': 'endpoint.recovered',
  'webhook.disabled': 'endpoint.disabled',
} as const satisfies Record<EndpointNotice['type'], string>

/** Writes a notice about an endpoint to the admins of its organization, and publishes its event. */
async function writeEndpointNotice(
  tx: Transaction,
  { endpointId, type, occurrence, details }: EndpointNotice,
): Promise<void> {
  const { tenantId, url, description } = await tx.webhookEndpoint.findUniqueOrThrow({
    where: { id: endpointId },
    select: { tenantId: true, url: true, description: true },
  })
  const name = Array.from(endpointName({ url, description }))
  await writeNotice(tx, {
    type,
    occurrence,
    subject: {
      type: 'webhook',
      id: endpointId,
      name: name.slice(0, noticeSubjectNameLengthMax).join(''),
    },
    details,
    to: { adminsOf: tenantId },
  })
  await runIn(tx, publishStatement, {
    endpointId,
    eventType: eventTypes[type],
    errorClass: details.error_class,
    statusCode: details.status_code,
  })
}

/** Publishes an event about an endpoint, in the transaction. */
const publishStatement = defineStatement({
  name: 'publish-endpoint-event',
  takes: {
    endpointId: uuid,
    eventType: text,
    errorClass: nullable(text),
    statusCode: nullable(int),
  },
  gives: { published: nullable(text) },
  sql: `
    SELECT publish_endpoint_event(:eventType, e, :errorClass, :statusCode)::text AS published
    FROM webhook_endpoints e WHERE e.id = :endpointId`,
})

/** Writes the notice of an endpoint that the transaction has disabled because it fails. */
export async function writeDisabledNotice(
  tx: Transaction,
  { id, hours, disabledAt }: { id: string; hours: number | null; disabledAt: Date },
): Promise<void> {
  const last = await tx.webhookIncident.findFirst({
    where: { endpointId: id },
    orderBy: { id: 'desc' },
    select: { lastStatusCode: true, lastErrorClass: true },
  })
  await writeEndpointNotice(tx, {
    endpointId: id,
    type: 'webhook.disabled',
    occurrence: `${id} ${disabledAt.toISOString()}`,
    details: {
      hours,
      status_code: last?.lastStatusCode ?? null,
      error_class: last?.lastErrorClass ?? null,
    },
  })
}

/**
 * Writes the notices of incidents that were opened or closed, unless their endpoint got one of the type shortly before.
 * Any number of processes may call it: each waits for those that were taken before.
 *
 * @returns the number of incidents that were taken, at most `rowsMax`.
 */
export const writeIncidentNotices = (
  { prisma }: Pick<Database, 'prisma'>,
  rowsMax: number,
): Promise<number> =>
  prisma.$transaction(async (tx) => {
    const taken = await runIn(tx, takeStatement, { rowsMax })
    for (const notice of taken) await writeIfAllowed(tx, notice)
    return taken.length
  })

const incidentNotice = {
  incidentId: uuid,
  endpointId: uuid,
  type: named<IncidentNoticeType>('text'),
  details: jsonb<LastFailure>(),
}

/** Takes the rows that the trigger `notify_of_incident` added, in the order of the incidents. */
const takeStatement = defineStatement({
  name: 'take-incident-notices',
  takes: { rowsMax: int },
  gives: incidentNotice,
  sql: `
    WITH taken AS (
      DELETE FROM incident_notices n USING (
        SELECT incident_id, type FROM incident_notices ORDER BY incident_id, type LIMIT :rowsMax FOR UPDATE
      ) next
      WHERE n.incident_id = next.incident_id AND n.type = next.type RETURNING n.*
    )
    SELECT incident_id, endpoint_id, type, details FROM taken ORDER BY incident_id, type`,
})

interface IncidentNotice {
  readonly incidentId: string
  readonly endpointId: string
  readonly type: IncidentNoticeType
  readonly details: LastFailure
}

async function writeIfAllowed(
  tx: Transaction,
  { incidentId, endpointId, type, details }: IncidentNotice,
): Promise<void> {
  const limit = { incidentId, endpointId, type, everyMinutes: incidentNoticeEveryMinutes }
  const [row] = await runIn(tx, limitStatement, limit)
  if (row!.isAllowed)
    await writeEndpointNotice(tx, { endpointId, type, occurrence: incidentId, details })
}

/** Finds out whether an endpoint may get a notice. If not, the incident waits until it may. */
const limitStatement = defineStatement({
  name: 'limit-incident-notices',
  takes: { incidentId: uuid, endpointId: uuid, type: text, everyMinutes: int },
  gives: { isAllowed: notNull(bool, 'IS NULL') },
  sql: `
    INSERT INTO webhook_notice_limits AS l (endpoint_id, type, next_at)
    VALUES (:endpointId, :type, clock_timestamp() + :everyMinutes * interval '1 minute')
    ON CONFLICT (endpoint_id, type) DO UPDATE SET
      next_at = CASE WHEN l.next_at <= statement_timestamp() THEN excluded.next_at ELSE l.next_at END,
      waiting_incident_id = CASE WHEN l.next_at > statement_timestamp() THEN :incidentId END
    RETURNING waiting_incident_id IS NULL AS is_allowed`,
})

/**
 * Writes notices of incidents that had to wait because their endpoint got one shortly before, if they still are the
 * news. Any number of processes may call it.
 *
 * @returns the number of endpoints and types that it processed, at most `rowsMax`.
 */
export const writeWaitingIncidentNotices = (
  { prisma }: Pick<Database, 'prisma'>,
  rowsMax: number,
): Promise<number> =>
  prisma.$transaction(async (tx) => {
    const due = await runIn(tx, dueStatement, { rowsMax })
    for (const { endpointId, type } of due) {
      const [news] = await runIn(tx, newsStatement, { endpointId, type })
      if (news) await writeIfAllowed(tx, { ...news, endpointId, type })
      else await tx.webhookNoticeLimit.delete({ where: { endpointId_type: { endpointId, type } } })
    }
    return due.length
  })

/** Locks limits that have ended. */
const dueStatement = defineStatement({
  name: 'lock-ended-notice-limits',
  takes: { rowsMax: int },
  gives: { endpointId: uuid, type: incidentNotice.type },
  sql: `
    SELECT endpoint_id, type FROM webhook_notice_limits WHERE next_at <= statement_timestamp()
    ORDER BY next_at LIMIT :rowsMax FOR UPDATE SKIP LOCKED`,
})

/**
 * Returns the waiting incident of an endpoint if it is still the news: the endpoint fails still, or it has recovered and
 * the last notice says that it fails.
 */
const newsStatement = defineStatement({
  name: 'find-waiting-incident',
  takes: { endpointId: uuid, type: text },
  gives: { incidentId: uuid, details: notNull(jsonb<LastFailure>(), 'built by a function') },
  sql: `
    SELECT i.id AS incident_id, incident_details(i) AS details
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
