import type { Members } from '@hosting/core/audit'
import { currentTime } from '@hosting/core/clock'
import { conflict, notFound, validationFailed, type Problem } from '@hosting/core/problems'
import { isForeignKeyViolation, type Client, type Transaction } from '@hosting/postgres/database'
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
  consequencesOf,
  type PutOutcome,
} from '@hosting/postgres/directory'
import { findSignInById, holdPassword, revokeSessionsOf } from '@hosting/postgres/sessions'
import { HttpResponse } from '../response.ts'
import type { AccountFields, TenantFields, UserFields } from '../schemas/directory.ts'
import type { Needs } from '../services.ts'
import { recordDirectoryChange, recordPut, type DirectoryContext } from './directory-audit.ts'
import { throwConflictIfDuplicate } from './duplicates.ts'
import { announceKeyChange } from './key-changes.ts'
import { withPasswordHasher } from '../passwords/password-hash.ts'
import { verifyPassword } from './passwords.ts'

/** Creates or updates an organization. */
export async function putTenantEntry(
  services: Needs<'gate' | 'keyChanges' | 'log'>,
  context: DirectoryContext,
  { id: givenId, edition = 'standard', ...fields }: TenantFields & { readonly id: string },
) {
  const { work } = context
  const tenant = { id: givenId.toLowerCase(), ...fields, edition }
  const outcome = await throwConflictIfDuplicate('the slug is already in use.', () =>
    putTenant(work.tx, tenant),
  )
  const { id } = tenant
  const details = changeOf(outcome, { ...fields, edition })
  await recordPut(context, outcome, { tenantId: id, type: 'tenant', id, details })
  if (outcome.result !== 'unchanged') await announceKeyChange(services, work, { tenantId: id })
  return toResponse(outcome, { tenant })
}

/** Deletes an organization with its accounts and users. Workers end the deliveries that wait for its endpoints. */
export async function removeTenant(
  services: Needs<'gate' | 'keyChanges' | 'log'>,
  context: DirectoryContext,
  id: string,
): Promise<void> {
  const { work } = context
  const consequences = await deleteTenant(work.tx, id)
  if (!consequences) throw notFound()
  await recordDirectoryChange(context, {
    tenantId: id,
    type: 'tenant',
    id,
    verb: 'delete',
    consequences,
  })
  await announceKeyChange(services, work, { tenantId: id })
}

/** Creates or updates an account. Keys may still be limited to a deleted account that is created again. */
export async function putAccountEntry(
  services: Needs<'gate' | 'keyChanges' | 'log'>,
  context: DirectoryContext,
  { id: givenId, tenant_id, name }: AccountFields & { readonly id: string },
) {
  const { work } = context
  const [id, tenantId] = [givenId.toLowerCase(), tenant_id.toLowerCase()]
  await requireTenant(work.tx, tenantId)
  const outcome = await putAccount(work.tx, { id, tenantId, name })
  await requireTenantStill(work.tx, tenantId)
  if (outcome) {
    const details = changeOf(outcome, { name })
    await recordPut(context, outcome, { tenantId, type: 'account', id, details })
  }
  if (outcome?.result === 'created') await announceKeyChange(services, work, { accountId: id })
  return toResponse(outcome, { account: { id, tenant_id: tenantId, name } })
}

/** Deletes an account and its assignments to users. */
export async function removeAccount(
  services: Needs<'gate' | 'keyChanges' | 'log'>,
  context: DirectoryContext,
  id: string,
): Promise<void> {
  const { work } = context
  // Before the deletion, which also deletes the assignments to users.
  await announceKeyChange(services, work, { accountId: id })
  const deleted = await deleteAccount(work.tx, id)
  if (!deleted) throw notFound()
  await recordDirectoryChange(context, { ...deleted, type: 'account', id, verb: 'delete' })
}

/**
 * Hashes a user's password before the transaction opens. If the user already has this password, returns the
 * existing hash: the directory repeats unchanged values.
 *
 * @throws Problem `service_unavailable` if too many password checks wait.
 */
export async function preparePassword(
  services: Needs<'database'>,
  id: string,
  password: string | undefined,
): Promise<string | undefined> {
  if (password === undefined) return undefined
  return withPasswordHasher(async (hasher) => {
    const person = await findSignInById(services.database.prisma, id)
    const same =
      person?.passwordHash && (await verifyPassword(services, hasher, { person, password }))
    return same || hasher.hash(password)
  })
}

/**
 * Creates or updates a user. A new password or deactivation ends the user's sessions.
 *
 * @param entry - `passwordHash`: see {@link preparePassword}.
 */
export async function putUserEntry(
  services: Needs<'gate' | 'keyChanges' | 'log'>,
  context: DirectoryContext,
  { id, passwordHash, tenant_id, accounts, ...fields }: UserFields & UserKey,
) {
  const { work } = context
  const tenantId = tenant_id.toLowerCase()
  const accountIds = [...new Set(accounts.map((account) => account.toLowerCase()))]
  await requireTenant(work.tx, tenantId)
  await requireAccounts(work.tx, tenantId, accounts)
  const isNewPassword =
    passwordHash !== undefined && !(await holdPassword(work.tx, id, passwordHash))
  const entry = { id, tenantId, ...fields, ...(isNewPassword && { passwordHash }) }
  const outcome = await throwConflictIfDuplicate('the email address is already in use.', () =>
    refuseDeletedAccounts(() => putUser(work.tx, entry, accountIds)),
  )
  await requireTenantStill(work.tx, tenantId)
  // Before the end of the sessions, because the id may belong to another organization.
  const response = toResponse(outcome, {
    user: { id, tenant_id: tenantId, ...fields, accounts: accountIds },
  })
  const ended =
    isNewPassword || fields.status === 'deactivated'
      ? await revokeSessionsOf(work.tx, id, { now: currentTime() })
      : []
  const consequences = consequencesOf('session.revoke', 'session', ended)
  const { name, status, roles } = fields
  const details = changeOf(withShownAccounts(outcome!, accountIds), {
    name,
    status,
    roles,
    accounts: accountIds,
  })
  await recordPut(context, outcome!, { tenantId, type: 'user', id, details, consequences })
  if (outcome!.result !== 'unchanged') await announceKeyChange(services, work, { userId: id })
  return response
}

/** An entry of the log has no longer lists of accounts. */
const shownAccountsMax = 100

/** What a PUT did to a person, without the former accounts if the log does not show them. */
function withShownAccounts(
  { before, ...outcome }: PutOutcome,
  accountIds: readonly string[],
): PutOutcome {
  if (!before) return outcome
  const { accounts, ...others } = before
  const lists = [accounts as readonly string[], accountIds]
  return {
    ...outcome,
    before: lists.every(({ length }) => length <= shownAccountsMax) ? before : others,
  }
}

/**
 * The members that changed, before and after. An email address is erased with the person, so the append-only log does
 * not have it.
 */
function changeOf({ fields, before = {} }: PutOutcome, after: Members) {
  const shown = fields.filter((field) => Object.hasOwn(before, field))
  if (shown.length === 0) return {}
  const pick = (from: Members): Members =>
    Object.fromEntries(shown.map((field) => [field, from[field]]))
  return { before: pick(before), after: pick(after) }
}

interface UserKey {
  readonly id: string
  readonly passwordHash: string | undefined
}

/** Deletes a user. A tombstone remains for keys and the audit log to refer to. */
export async function removeUser(
  services: Needs<'gate' | 'keyChanges' | 'log'>,
  context: DirectoryContext,
  id: string,
): Promise<void> {
  const { work } = context
  const deleted = await deleteUser(work.tx, id)
  if (!deleted) throw notFound()
  await recordDirectoryChange(context, { ...deleted, type: 'user', id, verb: 'delete' })
  await announceKeyChange(services, work, { userId: id })
}

function toResponse<Body>(outcome: PutOutcome | undefined, record: Body): HttpResponse<Body> {
  if (outcome === undefined) {
    throw conflict('the id belongs to a different record.')
  }
  return new HttpResponse(outcome.result === 'created' ? 201 : 200, record)
}

/** An account may have been deleted after it was checked. */
async function refuseDeletedAccounts<T>(put: () => Promise<T>): Promise<T> {
  try {
    return await put()
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw validationFailed({
      pointer: '/accounts',
      message: 'has an account that was just deleted',
    })
  }
}

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
