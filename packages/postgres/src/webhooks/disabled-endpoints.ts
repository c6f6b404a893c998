import { currentTime } from '@hosting/core/clock'
import { appendAuditEvent } from '../audit/audit-events.ts'
import { types } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import { writeDisabledNotice } from '../notices/endpoint-notices.ts'

const { int, nullable, text, uuid } = types

/*
 * What a disabled endpoint means (docs/specification/deliveries.md#disabled-endpoints). `is_open` and `is_paused` of
 * prisma/functions decide whether an endpoint is.
 *
 * - A publish stores its deliveries, without jobs: matched-endpoints.sql.
 * - Nothing is sent: the relay skips it (take-deliveries.sql), and no claim gets an attempt that already has a job
 *   (claim-unthrottled-attempts.sql, claim-attempts.sql). An attempt in progress ends and is recorded.
 * - Its deliveries wait, with the status `waiting_endpoint` and no time of a next attempt: delivery-select.ts. Its lists and
 *   choices: queue-list.ts and bulk-choice.ts.
 *   A retry keeps its due time: if that has passed, it is due when the endpoint is enabled.
 * - Redeliveries and recoveries create deliveries that wait. Retrying now, a ping and a test event are refused: redeliver.ts,
 *   recoveries.ts, retry-now.ts and send-to-endpoint.ts of apps/api/src/api/use-cases.
 * - Its incident closes, and failures do not count: follow_endpoint_state.sql, which repeats the condition, as
 *   start_counting.sql does.
 * - Enabling it wakes the relay: `updateEndpoint` of endpoints.ts.
 */

/** An endpoint that was disabled because it failed for too long. */
export interface DisabledEndpoint {
  readonly id: string
  readonly tenantId: string
}

/** The most endpoints that one call of {@link disableFailingEndpoints} disables. */
const disabledMax = 100

/**
 * Disables the endpoints whose incident has been open for as long as their setting allows. Their
 * deliveries wait. Any number of processes may call it at the same time. An endpoint that succeeds in the
 * meantime stays enabled.
 */
export async function disableFailingEndpoints({
  pool,
  prisma,
}: Pick<Database, 'pool' | 'prisma'>): Promise<DisabledEndpoint[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT e.id FROM webhook_incidents i JOIN webhook_endpoints e ON e.id = i.endpoint_id
     WHERE i.closed_at IS NULL AND is_open(e)
       AND i.opened_at <= now() - e.disable_after_failing_hours * interval '1 hour'
     ORDER BY i.opened_at LIMIT ${disabledMax}`,
  )
  const disabled: DisabledEndpoint[] = []
  for (const { id } of rows) {
    const endpoint = await prisma.$transaction((tx) => disableIfFailing(tx, id))
    if (endpoint) disabled.push(endpoint)
  }
  return disabled
}

/**
 * Locks the endpoint before its failures, as every change of an endpoint does. The second statement sees
 * what was recorded before the lock.
 */
async function disableIfFailing(
  tx: Transaction,
  id: string,
): Promise<DisabledEndpoint | undefined> {
  const [endpoint] = await runIn(tx, lockEndpointStatement, { id })
  if (!endpoint) return undefined
  const { tenantId, hours } = endpoint
  const failing = await runIn(tx, lockFailuresStatement, { id, hours })
  if (failing.length === 0) return undefined
  const now = currentTime()
  await tx.webhookEndpoint.update({
    where: { id },
    data: { enabled: false, disabledAt: now, disabledReason: 'failing', updatedAt: now },
  })
  await appendAuditEvent(tx, {
    tenantId,
    action: 'webhook.update',
    outcome: 'success',
    actor: { type: 'system', id: null, name: null, keyId: null },
    target: { type: 'webhook', id },
    ip: null,
    requestId: null,
    details: {
      before: { enabled: true },
      after: { enabled: false },
      disabled_reason: 'failing',
    },
  })
  await writeDisabledNotice(tx, { ...endpoint, endpointId: id, disabledAt: now })
  return { id, tenantId }
}

/** Returns an enabled endpoint and locks it, unless another transaction has. */
const lockEndpointStatement = defineStatement({
  name: 'lock-failing-endpoint',
  takes: { id: uuid },
  gives: { tenantId: uuid, hours: nullable(int), url: text, description: nullable(text) },
  sql: `
    SELECT tenant_id, disable_after_failing_hours AS hours, url, description FROM webhook_endpoints e
    WHERE id = :id AND is_open(e)
    FOR NO KEY UPDATE SKIP LOCKED`,
})

/** Locks the failures of an endpoint if they have lasted for the given time, and gives its id. */
const lockFailuresStatement = defineStatement({
  name: 'lock-endpoint-failures',
  takes: { id: uuid, hours: nullable(int) },
  gives: { endpointId: uuid },
  sql: `
    SELECT endpoint_id FROM webhook_endpoint_failures
    WHERE endpoint_id = :id AND incident_id IS NOT NULL
      AND first_failure_at <= now() - :hours * interval '1 hour'
    FOR UPDATE`,
})
