import { createKeyToken, rateLimitMax } from '@hosting/core/api-keys'
import {
  createApiKey,
  loadKeyRecords,
  raiseKeyVersions,
  type AffectedKeys,
} from '@hosting/postgres/api-keys'
import { type Client, type Transaction } from '@hosting/postgres/database'
import { putAccount, putUser } from '@hosting/postgres/directory'
import { randomBytes, randomUUID } from 'node:crypto'
import { useDatabase } from './database.ts'
import { makeTenant } from './fixtures.ts'

export const database = useDatabase()

export interface Owner {
  readonly tenantId: string
  readonly userId: string
  readonly accountId: string
}

/** Makes a user who has an account. */
export async function makeOwner(): Promise<Owner> {
  const tenantId = await makeTenant(database)
  const [userId, accountId] = [randomUUID(), randomUUID()]
  await putAccount(database.prisma, { id: accountId, tenantId, name: 'Account' })
  await database.prisma.$transaction((tx) => putOwner(tx, { tenantId, userId }, [accountId]))
  return { tenantId, userId, accountId }
}

export const putOwner = (
  tx: Transaction,
  { tenantId, userId }: Pick<Owner, 'tenantId' | 'userId'>,
  accountIds: readonly string[],
  status: 'active' | 'deactivated' = 'active',
) =>
  putUser(
    tx,
    {
      id: userId,
      tenantId,
      email: `${userId}@example.test`,
      name: 'Ana',
      status,
      roles: ['admin'],
    },
    accountIds,
  )

export async function makeKey(
  { tenantId, userId }: Owner,
  client: Client = database.prisma,
): Promise<string> {
  const { id } = createKeyToken()
  await createApiKey(client, {
    id,
    secretHash: randomBytes(32),
    tenantId,
    userId,
    createdById: userId,
    kind: 'personal',
    source: 'api',
    name: 'a key',
    scopes: ['*'],
    expiresAt: null,
    rateLimitPerMinute: rateLimitMax,
  })
  return id
}

export const raise = (affected: AffectedKeys) =>
  database.prisma.$transaction((tx) => raiseKeyVersions(tx, affected))

export const versionOf = async (id: string): Promise<number> =>
  (await loadKeyRecords(database, [id])).get(id)!.version
