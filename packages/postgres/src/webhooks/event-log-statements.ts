import { types } from '../database/column-types.ts'
import { ifGiven } from '../database/bounded-scan.ts'
import { keyOf } from '../database/index-keys.ts'
import { defineStatement } from '../database/statement.ts'

const { bigint, int, listOf, notNull, nullable, text, time, uuid } = types

/** Every pattern that matches an event type, in SQL. */
export const patternsOf = (type: string): string =>
  `ARRAY['*', split_part(${type}, '.', 1) || '.*', ${type}]`

/**
 * Whether an endpoint `w` gets a row `r` with the columns of an event, or of a delivery: it subscribes to the type and the
 * account, and the event is not an operational one about the endpoint itself.
 */
export const isSubscribed = (
  r: string,
  type: string,
): string => `w.events && ${patternsOf(`${r}.${type}`)}
    AND (w.accounts = '{}' OR lower(${r}.account_id) = ANY (w.accounts))
    AND NOT (${r}.${type} LIKE 'endpoint.%' AND ${r}.object_id = w.id::text)`

const position = notNull(bigint, 'part of the condition')

/** The events of an organization between a point and the horizon. */
const withinPart = 'position > :afterPosition AND position <= :untilPosition AND id >= :lowestId'
const ofPart = `tenant_id = :tenantId AND ${withinPart}`

const isOf = (column: string, parameter: string): string =>
  `${keyOf(column, 'tenant_id')} = ${keyOf(`:${parameter}`, ':tenantId')}`

/**
 * The condition by which an index finds the events of an organization, of an object or of an account. It may also find
 * others (`keyOf`), so {@link isOfSubject} compares what it finds.
 */
export const bySubject = `(:objectId IS NOT NULL OR :accountId IS NOT NULL OR tenant_id = :tenantId)
    AND ${ifGiven('objectId', isOf('object_id', 'objectId'))}
    AND (:objectId IS NOT NULL OR ${ifGiven('accountId', isOf('account_id', 'accountId'))})`

/** Whether an event is one of the organization, and of the object and the account of a filter. */
export const isOfSubject = `tenant_id = :tenantId AND ${ifGiven('objectId', 'object_id = :objectId')}
    AND ${ifGiven('accountId', 'account_id = :accountId')}`

const partParameters = {
  tenantId: uuid,
  afterPosition: bigint,
  untilPosition: bigint,
  lowestId: uuid,
}

/** The events to examine for a page in their order, by an index. */
const candidates = `
  SELECT id, tenant_id, position, type, created_at, object_id, account_id, payload FROM events
  WHERE ${withinPart} AND ${bySubject}
  ORDER BY position`

const candidateParameters = {
  ...partParameters,
  objectId: nullable(text),
  accountId: nullable(text),
  examined: int,
}

/** Returns a page of the log, oldest event first. Locks nothing. */
export const pageStatement = defineStatement({
  name: 'read-event-log',
  takes: {
    ...candidateParameters,
    types: nullable(listOf(text)),
    /** Up to the second of these, a position, only events that were created at or after the first. */
    createdSince: nullable(time),
    sinceUntil: nullable(bigint),
    take: int,
  },
  gives: { id: uuid, position, payload: text },
  sql: `
    SELECT id, position, payload FROM (${candidates} LIMIT :examined) c
    WHERE ${isOfSubject} AND (:types IS NULL OR ${patternsOf('c.type')} && :types)
      AND (:createdSince IS NULL OR c.created_at >= :createdSince OR c.position > :sinceUntil)
    ORDER BY position LIMIT :take`,
})

/** Returns the last event examined for a page that is not full. None: the page ends at the horizon. */
export const lastExaminedStatement = defineStatement({
  name: 'find-last-examined-event',
  takes: candidateParameters,
  gives: { id: uuid, position },
  sql: `SELECT id, position FROM (${candidates} OFFSET :examined - 1 LIMIT 1) c`,
})

/** Returns the last event of a part of the log. */
export const lastStatement = defineStatement({
  name: 'find-last-logged-event',
  takes: partParameters,
  gives: { position },
  sql: `SELECT position FROM events WHERE ${ofPart} ORDER BY position DESC LIMIT 1`,
})

/** Returns the last position below which nothing can be committed any more, and when that was. Locks nothing. */
export const horizonStatement = defineStatement({
  name: 'read-event-log-horizon',
  takes: {},
  gives: {
    horizon: notNull(bigint, 'the function returns it always'),
    moment: notNull(time, 'the function returns it always'),
    logId: notNull(text, 'the function returns it always'),
  },
  sql: 'SELECT horizon, moment, log_id FROM event_log_horizon()',
})

/** Returns the position before the first event of an organization that was accepted since a time; null without one. */
export const positionStatement = defineStatement({
  name: 'find-event-position',
  takes: { tenantId: uuid, from: time },
  gives: { before: nullable(bigint) },
  sql: 'SELECT event_position_from(:tenantId, :from) - 1 AS before',
})
