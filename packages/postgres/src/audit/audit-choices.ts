import { uuidSource } from '@hosting/core/ids'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'

const { bool, listOf, notNull, nullable, text, uuid } = types

const actorTypes = {
  id: notNull(text, 'part of the condition'),
  /** The current name, or else the one in the newest entry. */
  name: nullable(text),
  /** Null if it is not a current user. */
  email: nullable(text),
}

/** A person or program that acted. */
export type AuditActorChoice = RowOf<typeof actorTypes>

/** The values that entries of an organization's audit log have. */
export interface AuditChoices {
  readonly actions: string[]
  /** By name. */
  readonly actors: AuditActorChoice[]
}

/** The most actions and actors that are returned. Each costs one lookup in an index, whatever the log's length. */
const choicesMax = 200

/** Returns the actions and actors in the organization's audit log, for filters. */
export async function listAuditChoices(
  { pool }: Pick<Database, 'pool'>,
  tenantId: string,
): Promise<AuditChoices> {
  const [actions, actors] = await Promise.all([
    run(pool, actionsStatement, { tenantId }),
    run(pool, actorsStatement, { tenantId }),
  ])
  return { actions: actions.map(({ action }) => action), actors }
}

/** The distinct values of a column: each is found by the one before it, in the index. */
const distinct = (column: 'action' | 'actor_id'): string => `
  WITH RECURSIVE step AS (
    (SELECT ${column} AS value, 1 AS number FROM audit_events
     WHERE tenant_id = :tenantId AND ${column} IS NOT NULL ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${column} FROM audit_events
      WHERE tenant_id = :tenantId AND ${column} > s.value ORDER BY ${column} LIMIT 1), s.number + 1
    FROM step s WHERE s.value IS NOT NULL AND s.number < ${choicesMax}
  ), found AS (SELECT value FROM step WHERE value IS NOT NULL)`

/** Returns the actions in the audit log of an organization. Locks nothing. */
const actionsStatement = defineStatement({
  name: 'list-audit-actions',
  takes: { tenantId: uuid },
  gives: { action: notNull(text, 'part of the condition') },
  sql: `${distinct('action')} SELECT value AS action FROM found`,
})

/** Returns the actors in the audit log of an organization, by name. Locks nothing. */
const actorsStatement = defineStatement({
  name: 'list-audit-actors',
  takes: { tenantId: uuid },
  gives: actorTypes,
  sql: `
    ${distinct('actor_id')}
    SELECT f.value AS id, coalesce(u.name, (
      SELECT a.actor_name FROM audit_events a
      WHERE a.tenant_id = :tenantId AND a.actor_id = f.value ORDER BY a.id DESC LIMIT 1
    )) AS name, u.email
    FROM found f LEFT JOIN users u ON u.id::text = f.value::text AND u.tenant_id = :tenantId
    ORDER BY 2, 1`,
})

/** The id of a target of a type whose ids are UUIDs. */
const uuidOf = (type: string): string =>
  `CASE WHEN t.type = '${type}' AND t.id ~ '^${uuidSource}$' THEN t.id::uuid END`

/** What an entry concerns. */
export interface AuditTarget {
  readonly type: string
  readonly id: string
}

/** The name of a target. */
export interface AuditTargetName {
  readonly name: string
  /** It was deleted, so it has no page. */
  readonly isDeleted: boolean
}

/** Returns the current names of targets by `type id`. Targets without a name, or without a row, are missing. */
export async function findAuditTargetNames(
  { pool }: Pick<Database, 'pool'>,
  tenantId: string,
  targets: readonly AuditTarget[],
): Promise<ReadonlyMap<string, AuditTargetName>> {
  const rows = await run(pool, targetsStatement, {
    tenantId,
    types: targets.map(({ type }) => type),
    ids: targets.map(({ id }) => id),
  })
  return new Map(rows.map(({ target, ...found }) => [target, found]))
}

/** Returns the names of those of the targets that have one. Locks nothing. */
const targetsStatement = defineStatement({
  name: 'list-audit-target-names',
  takes: { tenantId: uuid, types: listOf(text), ids: listOf(text) },
  gives: {
    target: notNull(text, 'of strings that are not null'),
    name: notNull(text, 'never null in any of the tables'),
    isDeleted: notNull(bool, 'IS NOT NULL'),
  },
  sql: `
    SELECT t.type || ' ' || t.id AS target, n.name, n.is_deleted
    FROM unnest(:types, :ids) AS t (type, id)
    CROSS JOIN LATERAL (
      SELECT k.name, false AS is_deleted FROM api_keys k
      WHERE t.type = 'api_key' AND k.id = t.id::char(12) AND k.tenant_id = :tenantId
      UNION ALL
      SELECT coalesce(e.description, e.url), e.deleted_at IS NOT NULL FROM webhook_endpoints e
      WHERE t.type = 'webhook' AND e.id = ${uuidOf('webhook')} AND e.tenant_id = :tenantId
      UNION ALL
      SELECT u.name, false FROM users u
      WHERE t.type = 'user' AND u.id = ${uuidOf('user')} AND u.tenant_id = :tenantId
      UNION ALL
      SELECT a.name, false FROM accounts a
      WHERE t.type = 'account' AND a.id = ${uuidOf('account')} AND a.tenant_id = :tenantId
      UNION ALL
      (SELECT d.event_type, false FROM all_deliveries d
       WHERE t.type = 'delivery' AND d.id = ${uuidOf('delivery')} AND d.tenant_id = :tenantId LIMIT 1)
    ) n`,
})
