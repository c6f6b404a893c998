import { createKeyToken, formatKeyToken, hashKeySecret, rateLimitMax } from '@hosting/core/api-keys'
import { type Scope } from '@hosting/core/scopes'
import { createApiKey } from '@hosting/postgres/api-keys'
import { type Database } from '@hosting/postgres/database'
import { putTenant, putUser } from '@hosting/postgres/directory'
import { randomUUID } from 'node:crypto'

/** A measured organization, with the tokens of keys that can read everything. */
export interface BenchOwner {
  readonly tenantId: string
  /** Of the administrator. */
  readonly userId: string
  readonly tokens: readonly string[]
}

/** Creates an organization with an admin and `keys` keys: one key may make 600 requests per minute. */
export async function makeOwner(
  { prisma }: Database,
  serverSecret: Buffer,
  { keys, scopes = ['*:read'] }: { keys: number; scopes?: readonly Scope[] },
): Promise<BenchOwner> {
  const [tenantId, userId] = [randomUUID(), randomUUID()]
  const person = { id: userId, tenantId, email: `${userId}@bench.test`, name: 'Bench' }
  await putTenant(prisma, { id: tenantId, slug: tenantId, name: 'Bench', edition: 'standard' })
  await putUser(prisma, { ...person, status: 'active', roles: ['admin'] }, [])
  const tokens: string[] = []
  for (let made = 0; made < keys; made++) {
    const parts = createKeyToken()
    await createApiKey(prisma, {
      id: parts.id,
      secretHash: hashKeySecret(serverSecret, parts),
      tenantId,
      userId,
      createdById: userId,
      kind: 'personal',
      source: 'api',
      name: 'bench',
      scopes,
      expiresAt: null,
      rateLimitPerMinute: rateLimitMax,
    })
    tokens.push(formatKeyToken(parts))
  }
  return { tenantId, userId, tokens }
}
