import { notFound, Problem, validationFailed, type Role } from '@hosting/core'
import {
  abandonDeliveries,
  deleteAccount,
  deleteTenant,
  deleteUser,
  findAccountIds,
  isUniqueViolation,
  putAccount,
  putTenant,
  putUser,
  tenantExists,
  type Client,
  type PutResult,
} from '@hosting/postgres'
import { hash } from '@node-rs/argon2'
import { Answer } from '../http/route.ts'
import type { Services } from '../services.ts'

interface TenantFields {
  readonly slug: string
  readonly name: string
  readonly edition?: string
}

/** Makes or changes an organization. */
export async function putTenantEntry(
  { database }: Services,
  id: string,
  { edition = 'standard', ...fields }: TenantFields,
): Promise<Answer> {
  const tenant = { id, ...fields, edition }
  const result = await refuseDuplicate('the slug is taken.', () =>
    putTenant(database.prisma, tenant),
  )
  return toAnswer(result, { tenant })
}

/** Deletes an organization with all that it has under way. */
export async function removeTenant({ database }: Services, id: string): Promise<void> {
  await database.prisma.$transaction(async (tx) => {
    if (!(await deleteTenant(tx, id))) throw notFound()
    await abandonDeliveries(tx)
  })
}

interface AccountFields {
  readonly tenant_id: string
  readonly name: string
}

/** Makes or changes an account. */
export async function putAccountEntry(
  { database: { prisma } }: Services,
  id: string,
  { tenant_id, name }: AccountFields,
): Promise<Answer> {
  await refuseUnknownTenant(prisma, tenant_id)
  const result = await putAccount(prisma, { id, tenantId: tenant_id, name })
  return toAnswer(result, { account: { id, tenant_id, name } })
}

/** Deletes an account; users lose it. */
export async function removeAccount({ database }: Services, id: string): Promise<void> {
  if (!(await deleteAccount(database.prisma, id))) throw notFound()
}

interface UserFields {
  readonly tenant_id: string
  readonly email: string
  readonly name: string
  readonly status: 'active' | 'deactivated'
  readonly roles: readonly Role[]
  readonly accounts: readonly string[]
  readonly password?: string
}

/** Makes or changes a user. */
export async function putUserEntry(
  { database: { prisma } }: Services,
  id: string,
  { password, ...user }: UserFields,
): Promise<Answer> {
  const { tenant_id: tenantId, email, name, status, roles, accounts } = user
  await refuseUnknownTenant(prisma, tenantId)
  const passwordHash = password === undefined ? undefined : await hash(password)
  const result = await refuseDuplicate('the e-mail address is taken.', () =>
    prisma.$transaction(async (tx) => {
      await refuseUnknownAccounts(tx, tenantId, accounts)
      const entry = {
        id,
        tenantId,
        email,
        name,
        status,
        roles,
        ...(passwordHash && { passwordHash }),
      }
      return putUser(tx, entry, accounts)
    }),
  )
  return toAnswer(result, { user: { id, ...user } })
}

/** Deletes a user, leaving a tombstone that keys and the audit log can name. */
export async function removeUser({ database }: Services, id: string): Promise<void> {
  if (!(await database.prisma.$transaction((tx) => deleteUser(tx, id)))) throw notFound()
}

function toAnswer(result: PutResult | undefined, record: unknown): Answer {
  if (result === undefined) {
    throw new Problem('conflict', { facts: { reason: 'the id belongs to something else.' } })
  }
  return new Answer(result === 'made' ? 201 : 200, record)
}

async function refuseDuplicate<T>(reason: string, put: () => Promise<T>): Promise<T> {
  try {
    return await put()
  } catch (error) {
    throw isUniqueViolation(error) ? new Problem('conflict', { facts: { reason } }) : error
  }
}

async function refuseUnknownTenant(client: Client, id: string): Promise<void> {
  if (!(await tenantExists(client, id))) {
    throw validationFailed({ pointer: '/tenant_id', message: 'is not an organization' })
  }
}

async function refuseUnknownAccounts(
  client: Client,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  const known = await findAccountIds(client, tenantId, ids)
  const faults = ids.flatMap((id, index) =>
    known.has(id.toLowerCase())
      ? []
      : [{ pointer: `/accounts/${index}`, message: 'is not an account of the organization' }],
  )
  if (faults.length > 0) throw validationFailed(...faults)
}
