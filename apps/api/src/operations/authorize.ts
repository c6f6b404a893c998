import { Problem, reachesAllAccounts, type PermissionName } from '@hosting/core'
import { findAccountIds } from '@hosting/postgres'
import {
  authenticateKey,
  noteRefusal,
  refuseAccess,
  type KeyRequest,
  type Principal,
} from '../http/authenticate.ts'
import type { Services } from '../services.ts'

/** A request that another service of the platform got, and the permission that guards what it asks for. */
export interface AuthorizeInput extends Pick<KeyRequest, 'ip' | 'requestId' | 'setHeaders'> {
  readonly authorization: string | null
  readonly method: string
  readonly permission: string
  readonly account_id?: string | null
}

/**
 * Decides on a request of another service exactly as this API decides on its own.
 *
 * @throws Problem 401, 403 or 429; an account out of reach is `permission_denied`.
 */
export async function authorize(
  services: Services,
  { authorization, permission, account_id, ...given }: AuthorizeInput,
) {
  const name = permission as PermissionName
  const request: KeyRequest = {
    ...given,
    authorization: authorization ?? undefined,
    route: `authorize ${name}`,
  }
  const { key, budget } = await authenticateKey(services, request)
  const refusal =
    refuseAccess(key, name, given.method) ??
    (account_id && !(await reachesAccount(services, key, account_id.toLowerCase()))
      ? new Problem('permission_denied', { facts: { permission } })
      : undefined)
  if (refusal) throw await noteRefusal(services, request, { key, problem: refusal })
  const { id, name: keyName, kind, scopes, tenant, user } = key
  return {
    tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name },
    user: { id: user.id, name: user.name, email: user.email, kind: user.kind },
    roles: user.roles,
    accounts: reachesAllAccounts(user.roles) ? 'all' : user.accountIds,
    key: { id, name: keyName, kind, scopes },
    rate_limit: {
      limit: budget.limit,
      remaining: budget.remaining,
      reset_seconds: Math.ceil(budget.resetMs / 1_000),
    },
  }
}

/** An account is within reach if it is one of the user's, or of the organization where a role reaches all. */
async function reachesAccount(
  { database }: Services,
  { tenant, user }: Principal,
  accountId: string,
): Promise<boolean> {
  if (user.accountIds.includes(accountId)) return true
  if (!reachesAllAccounts(user.roles)) return false
  return (await findAccountIds(database.prisma, tenant.id, [accountId])).has(accountId)
}
