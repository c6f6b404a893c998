import { currentTime } from '@hosting/core/clock'
import { conflict, notFound, validationFailed, type Problem } from '@hosting/core/problems'
import {
  isForeignKeyViolation,
  isUniqueViolation,
  type Client,
  type Transaction,
} from '@hosting/postgres/database'
import {
  deleteAccount,
  deleteTenant,
  deleteUser,
  findAccountIds,
  holdTenant,
  putAccount,
  putTenant,
  putUser,
  tenantExists,
  type PutResult,
} from '@hosting/postgres/directory'
import { findSignInById, holdPassword, revokeSessionsOf } from '@hosting/postgres/sessions'
import { HttpResponse } from '../http/route.ts'
import type { Work } from '../http/work.ts'
import type { AccountFields, TenantFields, UserFields } from '../schemas/directory.ts'
import type { Services } from '../services.ts'
import { announceKeyChange } from './key-changes.ts'
import { withPasswordHasher } from '../passwords/password-hash.ts'

/** Creates or updates an organization. */
export async function putTenantEntry(
  services: Services,
  work: Work,
  { id: givenId, edition = 'standard', ...fields }: TenantFields & { readonly id: string },
) {
  const tenant = { id: givenId.toLowerCase(), ...fields, edition }
  const result = await throwConflictIfDuplicate('the slug is already in use.', () =>
    putTenant(work.tx, tenant),
  )
  if (result !== 'unchanged') await announceKeyChange(services, work, { tenantId: tenant.id })
  return toResponse(result, { tenant })
}

/** Deletes an organization with its accounts and users. Workers end the deliveries that wait for its endpoints. */
export async function removeTenant(services: Services, work: Work, id: string): Promise<void> {
  if (!(await deleteTenant(work.tx, id))) throw notFound()
  await announceKeyChange(services, work, { tenantId: id })
}

/** Creates or updates an account. Keys may still be limited to a deleted account that is created again. */
export async function putAccountEntry(
  services: Services,
  work: Work,
  { id: givenId, tenant_id, name }: AccountFields & { readonly id: string },
) {
  const [id, tenantId] = [givenId.toLowerCase(), tenant_id.toLowerCase()]
  await requireTenant(work.tx, tenantId)
  const result = await putAccount(work.tx, { id, tenantId, name })
  await requireTenantStill(work.tx, tenantId)
  if (result === 'created') await announceKeyChange(services, work, { accountId: id })
  return toResponse(result, { account: { id, tenant_id: tenantId, name } })
}

/** Deletes an account and its assignments to users. */
export async function removeAccount(services: Services, work: Work, id: string): Promise<void> {
  // Before the deletion, which also deletes the assignments to users.
  await announceKeyChange(services, work, { accountId: id })
  if (!(await deleteAccount(work.tx, id))) throw notFound()
}

/**
 * Hashes a user's password before the transaction opens. If the user already has this password, returns the
 * existing hash: the directory repeats unchanged values.
 *
 * @throws Problem `service_unavailable` if too many password checks wait.
 */
export async function preparePassword(
  { database }: Services,
  id: string,
  password: string | undefined,
): Promise<string | undefined> {
  if (password === undefined) return undefined
  return withPasswordHasher(async (hasher) => {
    const before = await findSignInById(database.prisma, id)
    const passwordHash = before?.passwordHash
    return passwordHash && (await hasher.verify(passwordHash, password))
      ? passwordHash
      : hasher.hash(password)
  })
}

/**
 * Creates or updates a user. A new password or deactivation ends the user's sessions.
 *
 * @param entry - `passwordHash`: see {@link preparePassword}.
 */
export async function putUserEntry(
  services: Services,
  work: Work,
  { id, passwordHash, tenant_id, accounts, ...fields }: UserFields & UserKey,
) {
  const tenantId = tenant_id.toLowerCase()
  const accountIds = [...new Set(accounts.map((account) => account.toLowerCase()))]
  await requireTenant(work.tx, tenantId)
  await requireAccounts(work.tx, tenantId, accounts)
  const isNewPassword =
    passwordHash !== undefined && !(await holdPassword(work.tx, id, passwordHash))
  const entry = { id, tenantId, ...fields, ...(isNewPassword && { passwordHash }) }
  const result = await throwConflictIfDuplicate('the email address is already in use.', () =>
    putUser(work.tx, entry, accountIds),
  )
  await requireTenantStill(work.tx, tenantId)
  if (isNewPassword || fields.status === 'deactivated') {
    await revokeSessionsOf(work.tx, id, { now: currentTime() })
  }
  if (result !== 'unchanged') await announceKeyChange(services, work, { userId: id })
  return toResponse(result, { user: { id, tenant_id: tenantId, ...fields, accounts: accountIds } })
}

interface UserKey {
  readonly id: string
  readonly passwordHash: string | undefined
}

/** Deletes a user. A tombstone remains for keys and the audit log to refer to. */
export async function removeUser(services: Services, work: Work, id: string): Promise<void> {
  if (!(await deleteUser(work.tx, id))) throw notFound()
  await announceKeyChange(services, work, { userId: id })
}

function toResponse<Body>(result: PutResult | undefined, record: Body): HttpResponse<Body> {
  if (result === undefined) {
    throw conflict('the id belongs to a different record.')
  }
  return new HttpResponse(result === 'created' ? 201 : 200, record)
}

async function throwConflictIfDuplicate<T>(reason: string, put: () => Promise<T>): Promise<T> {
  try {
    return await put()
  } catch (error) {
    if (isForeignKeyViolation(error)) throw missingAccount()
    throw isUniqueViolation(error) ? conflict(reason) : error
  }
}

/** An account was deleted after it was checked. */
const missingAccount = (): Problem =>
  validationFailed({ pointer: '/accounts', message: 'has an account that was just deleted' })

async function requireTenant(client: Client, id: string): Promise<void> {
  if (!(await tenantExists(client, id))) throw noTenant()
}

/** Requires that the organization was not deleted meanwhile. After the write, because organizations are locked last. */
async function requireTenantStill(tx: Transaction, id: string): Promise<void> {
  if (!(await holdTenant(tx, id))) throw noTenant()
}

const noTenant = (): Problem =>
  validationFailed({ pointer: '/tenant_id', message: 'is not an organization' })

async function requireAccounts(
  client: Client,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  const known = await findAccountIds(client, tenantId, ids)
  const errors = ids.flatMap((id, index) =>
    known.has(id.toLowerCase())
      ? []
      : [{ pointer: `/accounts/${index}`, message: 'is not an account of the organization' }],
  )
  if (errors.length > 0) throw validationFailed(...errors)
}
