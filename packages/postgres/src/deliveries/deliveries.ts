import { dayMs } from '@hosting/core/clock'
import { lowestUuidv7, timeOfUuidv7 } from '@hosting/core/ids'
import type { ErrorClass } from '@hosting/core/webhooks'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { defineStatement, run, runIn } from '../database/statement.ts'
import { deliveryColumns, deliveryTables, deliveryTypes } from './delivery-select.ts'
import { withExpectedStart, withExpectedStarts } from './throttle.ts'

const { int, listOf, named, notNull, nullable, text, time, uuid } = types

/** A delivery with its endpoint, as read by one statement. */
export type SelectedDelivery = RowOf<typeof deliveryTypes>

/** The columns of the last attempt of a delivery that ended. */
type LastAttemptColumn =
  | 'lastAttemptId'
  | 'lastStartedAt'
  | 'lastDurationMs'
  | 'lastStatusCode'
  | 'lastErrorClass'

/** A delivery as shown in lists and as a single record. */
export interface DeliveryRow extends Omit<SelectedDelivery, 'isThrottled' | LastAttemptColumn> {
  readonly lastAttempt: AttemptRow | null
}

const attemptTypes = {
  id: uuid,
  number: int,
  startedAt: time,
  durationMs: int,
  statusCode: nullable(int),
  errorClass: nullable(named<ErrorClass>('text')),
}
const attemptColumns = 'id, number, started_at, duration_ms, status_code, error_class'

/** An attempt as shown in the single record of a delivery. */
export type AttemptRow = RowOf<typeof attemptTypes>

/** A delivery as the single record shows it. */
export interface FoundDelivery {
  readonly delivery: DeliveryRow
  /** Oldest first. */
  readonly attempts: readonly AttemptRow[]
  /** The exact bytes of the envelope. */
  readonly payload: string
}

/**
 * Finds a delivery of the organization, with its attempts, oldest first, and the text of the envelope.
 */
export async function findDelivery(
  { pool }: Database,
  tenantId: string,
  id: string,
): Promise<FoundDelivery | undefined> {
  const rows = await run(pool, findStatement, { id, tenantId })
  const [row] = await withExpectedStarts({ pool }, rows)
  return row && toFound(row, await run(pool, attemptsStatement, attemptsOf([id])))
}

/** {@link findDelivery} in a transaction that has changed the delivery. */
export async function findChangedDelivery(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<FoundDelivery | undefined> {
  const [row] = await runIn(tx, findStatement, { id, tenantId })
  if (!row) return undefined
  const attempts = await runIn(tx, attemptsStatement, attemptsOf([id]))
  return toFound(await withExpectedStart(tx, row), attempts)
}

/** Returns a delivery of an organization with its payload. Locks nothing. */
const findStatement = defineStatement({
  name: 'find-delivery',
  takes: { id: uuid, tenantId: uuid },
  gives: { ...deliveryTypes, payload: text },
  sql: `
    SELECT ${deliveryColumns}, ev.payload FROM ${deliveryTables()} JOIN events ev ON ev.id = d.event_ref
    WHERE d.id = :id AND d.tenant_id = :tenantId`,
})

function toFound(
  { payload, ...row }: RowOf<typeof findStatement.gives>,
  earlier: readonly AttemptRow[],
): FoundDelivery {
  const { lastAttempt, ...state } = splitLast(row)
  const attempts = lastAttempt ? [...earlier, lastAttempt] : earlier
  return { delivery: { ...state, lastAttempt: attempts.at(-1) ?? null }, attempts, payload }
}

/** Separates the last attempt, if it is in the row of the delivery. */
function splitLast({
  lastAttemptId,
  lastStartedAt,
  lastDurationMs,
  lastStatusCode,
  lastErrorClass,
  ...state
}: SelectedDelivery): DeliveryRow {
  const lastAttempt = lastAttemptId && {
    id: lastAttemptId,
    number: state.attemptCount,
    startedAt: lastStartedAt!,
    durationMs: lastDurationMs!,
    statusCode: lastStatusCode,
    errorClass: lastErrorClass,
  }
  return { ...state, lastAttempt: lastAttempt || null }
}

/** Adds the last attempt to each delivery of a page. */
export async function withLastAttempts(
  { pool }: Pick<Database, 'pool'>,
  deliveries: readonly SelectedDelivery[],
): Promise<DeliveryRow[]> {
  const rows = deliveries.map(splitLast)
  const others = rows.filter(({ lastAttempt, attemptCount }) => !lastAttempt && attemptCount > 0)
  if (others.length === 0) return rows
  const found = await run(pool, lastAttemptsStatement, attemptsOf(others.map(({ id }) => id)))
  const lastById = new Map(found.map(({ deliveryId, ...attempt }) => [deliveryId, attempt]))
  return rows.map((row) =>
    row.lastAttempt ? row : { ...row, lastAttempt: lastById.get(row.id) ?? null },
  )
}

/**
 * Attempts are made after their delivery is created, so their ids are greater. This lower bound excludes the partitions of
 * earlier days, already when the statement is planned.
 */
const isAfterCreation = 'delivery_id = ANY (:deliveryIds) AND id >= :lowestId'

const attemptsParameters = { deliveryIds: listOf(uuid), lowestId: uuid }

/** The values of {@link attemptsParameters}. One day of slack allows for clock differences. */
const attemptsOf = (deliveryIds: readonly string[]) => ({
  deliveryIds,
  lowestId: lowestUuidv7(Math.min(...deliveryIds.map(timeOfUuidv7)) - dayMs),
})

/** Returns the attempts of deliveries that are rows of their own, oldest first. Locks nothing. */
const attemptsStatement = defineStatement({
  name: 'list-attempts',
  takes: attemptsParameters,
  gives: attemptTypes,
  sql: `
    SELECT ${attemptColumns} FROM delivery_attempts WHERE ${isAfterCreation} ORDER BY number, id`,
})

/** Returns the last one of the attempts of each delivery that are rows of their own. Locks nothing. */
const lastAttemptsStatement = defineStatement({
  name: 'find-last-attempts',
  takes: attemptsParameters,
  gives: { deliveryId: uuid, ...attemptTypes },
  sql: `
    SELECT DISTINCT ON (delivery_id) delivery_id, ${attemptColumns} FROM delivery_attempts
    WHERE ${isAfterCreation} ORDER BY delivery_id, number DESC, id DESC`,
})

/** Reads what a delivery of the organization sent, in the transaction that redelivers it. */
export async function findSent(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<SentRow | undefined> {
  const [row] = await runIn(tx, sentStatement, { tenantId, id })
  return row
}

/** Returns the event of a delivery of an organization. Locks nothing. */
const sentStatement = defineStatement({
  name: 'find-sent-event',
  takes: { id: uuid, tenantId: uuid },
  gives: {
    endpointId: notNull(uuid, 'of both tables'),
    eventId: uuid,
    eventType: text,
    eventCreatedAt: time,
    objectId: nullable(text),
    accountId: nullable(text),
    eventName: nullable(text),
    payload: text,
  },
  sql: `
    SELECT d.endpoint_id, ev.event_id, ev.type AS event_type, ev.created_at AS event_created_at, ev.object_id,
      ev.account_id, ev.name AS event_name, ev.payload
    FROM delivery_states d JOIN events ev ON ev.id = d.event_ref
    WHERE d.id = :id AND d.tenant_id = :tenantId`,
})

/** The event that a delivery sent, and its endpoint. */
export type SentRow = RowOf<typeof sentStatement.gives>

/** Finds the endpoint of a delivery of the organization. */
export async function findDeliveryEndpoint(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await runIn(tx, endpointStatement, { tenantId, id })
  return row?.endpointId
}

/** Returns the endpoint of a delivery of an organization. Locks nothing. */
const endpointStatement = defineStatement({
  name: 'find-delivery-endpoint',
  takes: { id: uuid, tenantId: uuid },
  gives: { endpointId: notNull(uuid, 'of both tables') },
  sql: 'SELECT endpoint_id FROM delivery_states WHERE id = :id AND tenant_id = :tenantId',
})
