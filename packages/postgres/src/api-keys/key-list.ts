import type { KeyStatus } from '@hosting/core/api-keys'
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
import { withPeopleAndUsage, type ApiKeyRow } from './api-keys.ts'
import { isLive } from './key-counts.ts'
import { hasWideAllowlist, violatesPolicy } from './policy-violations.ts'

const { bool, int, keyId, named, nullable, text, time, uuid } = types

/** The filters of a list of keys. */
export interface ApiKeyFilter {
  readonly tenantId: string
  /** Only the personal keys of this user. `undefined`: every key of the organization. */
  readonly ownerId: string | undefined
  readonly kind: 'personal' | 'organization' | undefined
  readonly status: KeyStatus | undefined
  /** Text that the name contains, case-insensitive. */
  readonly namePart?: string | undefined
  /** The user that the key acts as. */
  readonly userId?: string | undefined
  /** Only keys that are neither revoked nor expired, and violate the key policy of the organization. */
  readonly violatesPolicy?: boolean | undefined
  /** Only keys that are neither revoked nor expired, and have a wide IP allowlist. */
  readonly wideAllowlist?: boolean | undefined
  readonly withoutRevoked?: boolean | undefined
  readonly externalId?: string | undefined
}

/** The position of a key in the list: see {@link keyPositionOf}. */
export type KeyPosition = string

/** The position of a key: 14 digits of its creation time in Unix ms, and its id, which is random. */
export const keyPositionOf = ({
  createdAt,
  id,
}: Pick<ApiKeyRow, 'createdAt' | 'id'>): KeyPosition =>
  `${String(createdAt.getTime()).padStart(digits, '0')}.${id}`

/** The most keys of an index that are examined for a page. Revoked keys are never deleted. */
const examinedMax = 2_000

/**
 * Returns a page of keys, newest first: those after a position. If few of many keys match the filters, the page is not
 * full, and continues after `examinedTo`.
 *
 * @param examined - the most keys to examine. For tests.
 */
export async function listApiKeys(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  filter: ApiKeyFilter,
  { after, take }: { after: KeyPosition | undefined; take: number },
  examined: number = examinedMax,
): Promise<ScannedRows<ApiKeyRow>> {
  const statement = scans[indexOf(filter)]
  const { positions, examinedTo } = await scanPage({ before: after, take, examined }, (step) =>
    run(pool, statement, toValues(filter, step)),
  )
  const rows = await prisma.apiKey.findMany({
    where: { id: { in: positions.map((position) => position.slice(digits + 1)) } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    include: withPeopleAndUsage(),
  })
  return { rows, examinedTo }
}

const digits = 14

const parameters = {
  tenantId: uuid,
  ownerId: nullable(uuid),
  userId: nullable(uuid),
  kind: nullable(named<'personal' | 'organization'>('key_kind')),
  status: nullable(named<KeyStatus>('text')),
  violates: bool,
  wide: bool,
  unrevoked: bool,
  /** A pattern of LIKE. */
  name: nullable(text),
  externalId: nullable(text),
  beforeAt: nullable(time),
  beforeId: nullable(keyId),
  take: int,
  examined: int,
}

/** The keys of an index. ICU's collation folds the case of non-ASCII letters, whatever the locale of the database. */
const keysWhere = (indexed: string): string => `
  SELECT lpad((extract(epoch FROM k.created_at) * 1000)::bigint::text, ${digits}, '0') || '.' || k.id AS position,
    k.tenant_id = :tenantId
      AND ${ifGiven('ownerId', `(k.user_id = :ownerId AND k.kind = 'personal')`)}
      AND ${ifGiven('userId', 'k.user_id = :userId')} AND ${ifGiven('kind', 'k.kind = :kind')}
      AND (NOT :unrevoked OR k.revoked_at IS NULL)
      AND (:status IS NULL OR :status = CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked'
        WHEN NOT (${isLive('k')}) THEN 'expired' WHEN NOT k.enabled THEN 'disabled' ELSE 'active' END)
      AND ${ifGiven('name', `k.name COLLATE "und-x-icu" ILIKE :name`)}
      AND ${ifGiven('externalId', 'k.external_id = :externalId')}
      AND (NOT :violates OR (${isLive('k')} AND ${violatesPolicy('k')}))
      AND (NOT :wide OR (${isLive('k')} AND ${hasWideAllowlist('k')})) AS matches
  FROM api_keys k
  WHERE ${indexed} AND (:beforeAt IS NULL OR (k.created_at, k.id) < (:beforeAt, :beforeId))
  ORDER BY k.created_at DESC, k.id DESC LIMIT :examined`

/** Returns the part of a page that an index contains. Locks nothing. */
const define = (name: string, indexed: string) =>
  defineScan(`list-api-keys-${name}`, parameters, [partOf(keysWhere(indexed))])

/** A key acts as a user of its organization. */
const scans = {
  external: define('external', 'k.tenant_id = :tenantId AND k.external_id = :externalId'),
  all: define('all', 'k.tenant_id = :tenantId'),
  unrevoked: define('unrevoked', 'k.tenant_id = :tenantId AND k.revoked_at IS NULL'),
  user: define('user', 'k.user_id = coalesce(:userId, :ownerId)'),
  'user-unrevoked': define(
    'user-unrevoked',
    'k.user_id = coalesce(:userId, :ownerId) AND k.revoked_at IS NULL',
  ),
}

/** The narrowest index for the filters. */
function indexOf(filter: ApiKeyFilter): keyof typeof scans {
  const { ownerId, userId, status, externalId } = filter
  if (externalId !== undefined) return 'external'
  const isUnrevoked =
    (status !== undefined && status !== 'revoked') ||
    filter.withoutRevoked ||
    filter.violatesPolicy ||
    filter.wideAllowlist
  if (ownerId === undefined && userId === undefined) return isUnrevoked ? 'unrevoked' : 'all'
  return isUnrevoked ? 'user-unrevoked' : 'user'
}

const toValues = (filter: ApiKeyFilter, { before, take, examined }: ScanStep) => ({
  tenantId: filter.tenantId,
  ownerId: filter.ownerId ?? null,
  userId: filter.userId ?? null,
  kind: filter.kind ?? null,
  status: filter.status ?? null,
  violates: filter.violatesPolicy ?? false,
  wide: filter.wideAllowlist ?? false,
  unrevoked: filter.withoutRevoked ?? false,
  name: containing(filter.namePart),
  externalId: filter.externalId ?? null,
  beforeAt: before === undefined ? null : new Date(Number(before.slice(0, digits))),
  beforeId: before === undefined ? null : before.slice(digits + 1),
  take,
  examined,
})
