import { currentTime } from '@hosting/core/clock'
import { notFound, Problem } from '@hosting/core/problems'
import { hasPermissionOrganizationWide } from '@hosting/core/scopes'
import { findApiKey, lockApiKey, type ApiKeyRow } from '@hosting/postgres/api-keys'
import { type Client } from '@hosting/postgres/database'
import { accessSubjectOf, type Caller } from '../access/caller.ts'
import { describePrevious, type PreviousSecretUse } from '../records/api-key.ts'
import type { Needs } from '../services.ts'
import type { RequestContext } from './audit.ts'

/** Reads a key that the caller may see: their own, or with `apikeys.read` at organization level any. @throws Problem `not_found` */
export async function getVisibleKey(
  client: Client,
  caller: Caller,
  id: string,
): Promise<ApiKeyRow> {
  const row = await findApiKey(client, caller.tenant.id, id)
  if (!row || !isVisible(caller, row)) throw notFound()
  return row
}

/** Whether the caller may see every key of the organization. */
export const seesAllKeys = (caller: Caller): boolean =>
  hasPermissionOrganizationWide(accessSubjectOf(caller), 'apikeys.read')

/** Like {@link getVisibleKey}, and locks the key until the request's transaction ends. */
export async function lockVisibleKey(
  { caller, work }: RequestContext,
  id: string,
): Promise<ApiKeyRow> {
  const row = await lockApiKey(work.tx, caller.tenant.id, id)
  if (!row || !isVisible(caller, row)) throw notFound()
  return row
}

/** Whether it is the caller's own personal key. */
export const isOwner = ({ user }: Caller, row: ApiKeyRow): boolean =>
  row.kind === 'personal' && row.userId === user.id

const isVisible = (caller: Caller, row: ApiKeyRow): boolean =>
  seesAllKeys(caller) || isOwner(caller, row)

/** Requires the owner of a personal key, or a manager of an organization key. @throws Problem `permission_denied` */
export function requireManages(caller: Caller, row: ApiKeyRow): void {
  if (row.kind === 'personal' && !isOwner(caller, row)) throw permissionDenied()
  if (row.kind === 'organization') requireKeyManager(caller)
}

/** @throws Problem `permission_denied` without `apikeys.manage` at organization level. */
export function requireKeyManager(caller: Caller): void {
  if (!hasPermissionOrganizationWide(accessSubjectOf(caller), 'apikeys.manage'))
    throw permissionDenied()
}

const permissionDenied = (): Problem =>
  new Problem('permission_denied', { facts: { permission: 'apikeys.manage' } })

/** Reads how the old secrets of a key are used. @throws Problem `not_found` */
export async function readPreviousSecretUse(
  { database }: Needs<'database'>,
  caller: Caller,
  id: string,
): Promise<PreviousSecretUse | undefined> {
  return describePrevious(await getVisibleKey(database.prisma, caller, id), currentTime())
}
