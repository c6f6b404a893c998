import { clientAddress } from '@hosting/core/network'
import { inaccessibleAccount, Problem } from '@hosting/core/problems'
import { resetSeconds } from '@hosting/core/rate-limit'
import {
  hasPermissionOrganizationWide,
  isOfAccounts,
  rolesPermitOrganizationWide,
  type PermissionName,
} from '@hosting/core/scopes'
import { findAccountIds } from '@hosting/postgres/directory'
import type { Key } from '../gate/key-gate.ts'
import { authenticateKey, credentialsMissing, type KeyRequest } from '../access/authenticate.ts'
import { requirePermission, checkAccess, scopeNeededBy } from '../access/check-access.ts'
import { recordKeyRefusal } from '../access/caller.ts'
import type { AuthorizeFields } from '../schemas/authorize.ts'
import type { Needs } from '../services.ts'

/**
 * Authorizes a request to another service exactly as this API authorizes its own.
 *
 * @throws Problem 401, 403 or 429; an inaccessible account is `permission_denied`.
 */
export async function authorize(
  services: Needs<'database' | 'keyGate' | 'refusals' | 'serverSecrets' | 'usage'>,
  {
    authorization,
    ip,
    permission: name,
    account_id,
    ...given
  }: AuthorizeFields & Pick<KeyRequest, 'operation' | 'requestId' | 'setHeaders' | 'onStatus'>,
) {
  if (authorization === null) throw credentialsMissing()
  const request: KeyRequest = {
    ...given,
    ip: clientAddress(ip, undefined, { trustedProxies: [] }),
    authorization,
    route: `authorize ${name}`,
  }
  const { key, budget, use } = await authenticateKey(services, request)
  const accounts = accountsOf(key, name)
  const guard = { auth: requirePermission(name) }
  const refusal =
    checkAccess({ user: key.user, key, session: undefined }, guard, given.method) ??
    ((await isWithin(services, { key, accounts, name, accountId: account_id?.toLowerCase() }))
      ? undefined
      : new Problem(
          'permission_denied',
          account_id === undefined
            ? { facts: { permission: name } }
            : { detail: inaccessibleAccount },
        ))
  if (refusal) {
    await recordKeyRefusal(services, request, { key, problem: refusal })
    throw refusal
  }
  use.scope = scopeNeededBy(guard, given.method)
  const { id, name: keyName, kind, scopes, tenant, user } = key
  return {
    tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name },
    user: { id: user.id, name: user.name, email: user.email, kind: user.kind },
    roles: user.roles,
    accounts,
    key: { id, name: keyName, kind, scopes },
    rate_limit: {
      limit: budget.limit,
      remaining: budget.remaining,
      reset_seconds: resetSeconds(budget),
    },
  }
}

/** The accounts on which the user's roles grant the permission to the key: each role on the accounts that it reaches. */
function accountsOf(key: Key, name: PermissionName): 'all' | readonly string[] {
  const { roles, accountIds } = key.user
  if (hasPermissionOrganizationWide({ roles, key }, name)) return 'all'
  return rolesPermitOrganizationWide(roles, name) ? accountIds : key.assignedAccounts
}

/** Whether the accounts include the given one or, without one, are not empty. Only account-level permissions need any. */
async function isWithin(
  { database }: Needs<'database'>,
  asked: {
    key: Key
    accounts: 'all' | readonly string[]
    name: PermissionName
    accountId: string | undefined
  },
): Promise<boolean> {
  const { key, accounts, name, accountId } = asked
  if (accountId === undefined) {
    return accounts === 'all' || accounts.length > 0 || !isOfAccounts(name)
  }
  if (accounts !== 'all') return accounts.includes(accountId)
  return (await findAccountIds(database.prisma, key.tenant.id, [accountId])).has(accountId)
}
