import { createKeyToken, rateLimitMax } from '@hosting/core/api-keys'
import { createApiKey } from '@hosting/postgres/api-keys'
import type { Database } from '@hosting/postgres/database'
import { putUser } from '@hosting/postgres/directory'
import { randomBytes, randomUUID } from 'node:crypto'
import { makeTenant } from './fixtures.ts'

/** Creates a personal key of a new organization. */
export async function makeKey(database: Database): Promise<{ id: string; tenantId: string }> {
  const { id } = createKeyToken()
  const [tenantId, userId] = [await makeTenant(database), randomUUID()]
  const user = { id: userId, tenantId, email: `${userId}@example.test`, name: 'Ana' }
  await database.prisma.$transaction((tx) =>
    putUser(tx, { ...user, status: 'active', roles: [] }, []),
  )
  await createApiKey(database.prisma, {
    id,
    secretHash: randomBytes(32),
    tenantId,
    userId,
    createdById: userId,
    kind: 'personal',
    source: 'api',
    name: 'a key',
    scopes: [],
    expiresAt: null,
    rateLimitPerMinute: rateLimitMax,
  })
  return { id, tenantId }
}
