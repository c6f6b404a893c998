import { createKeyToken, rateLimitMax } from '@hosting/core/api-keys'
import { createApiKey, eraseExpiredSecrets } from '@hosting/postgres/api-keys'
import { putUser } from '@hosting/postgres/directory'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from '../support/database.ts'
import { makeEndpoint, makeTenant } from '../support/fixtures.ts'

const database = useDatabase()
beforeEach(async () => {
  await database.prisma.webhookSecret.deleteMany()
  await database.prisma.apiKeySecret.deleteMany()
})

const inMs = (ms: number) => new Date(Date.now() + ms)

/** Gives an endpoint, besides its present secret, one that ends at each of the times. */
async function makeEndpointSecrets(...ends: Date[]): Promise<{ present: string; ids: string[] }> {
  const endpointId = await makeEndpoint(database, await makeTenant(database))
  const [first] = await database.prisma.webhookSecret.findMany({ where: { endpointId } })
  const ids = ends.map(() => randomUUID())
  await database.prisma.webhookSecret.createMany({
    data: ends.map((expiresAt, index) => ({
      id: ids[index]!,
      endpointId,
      encrypted: 'v1:test:earlier',
      expiresAt,
    })),
  })
  return { present: first!.id, ids }
}

/** The same of a key. */
async function makeKeySecrets(...ends: Date[]): Promise<{ present: string; ids: string[] }> {
  const tenantId = await makeTenant(database)
  const userId = randomUUID()
  const user = { id: userId, tenantId, name: 'Ana', status: 'active', roles: ['admin'] } as const
  await database.prisma.$transaction((tx) =>
    putUser(tx, { ...user, email: `${userId}@example.test` }, []),
  )
  const { id: keyId } = createKeyToken()
  await createApiKey(database.prisma, {
    id: keyId,
    secretHash: Buffer.alloc(32, 1),
    tenantId,
    userId,
    createdById: userId,
    kind: 'personal',
    source: 'api',
    name: 'Deploy',
    scopes: ['*'],
    expiresAt: null,
    rateLimitPerMinute: rateLimitMax,
  })
  const [first] = await database.prisma.apiKeySecret.findMany({ where: { keyId } })
  const ids = ends.map(() => randomUUID())
  await database.prisma.apiKeySecret.createMany({
    data: ends.map((expiresAt, index) => ({
      id: ids[index]!,
      keyId,
      hash: Buffer.alloc(32, index + 2),
      expiresAt,
    })),
  })
  return { present: first!.id, ids }
}

const kept = {
  ofEndpoints: async () => (await database.prisma.webhookSecret.findMany()).map(({ id }) => id),
  ofKeys: async () => (await database.prisma.apiKeySecret.findMany()).map(({ id }) => id),
}

describe('eraseExpiredSecrets', () => {
  test.each([
    ['endpoints', makeEndpointSecrets, kept.ofEndpoints],
    ['keys', makeKeySecrets, kept.ofKeys],
  ])(
    'erases secrets of %s whose overlap period has ended, and no others',
    async (_of, make, list) => {
      const { present, ids } = await make(inMs(-60_000), inMs(-1), inMs(60_000), inMs(86_400_000))
      expect(await eraseExpiredSecrets(database)).toBe(2)
      expect((await list()).toSorted()).toEqual([present, ...ids.slice(2)].toSorted())
      expect(await eraseExpiredSecrets(database)).toBe(0)
    },
  )

  test('concurrent calls erase each secret once', async () => {
    await makeEndpointSecrets(...Array.from({ length: 8 }, () => inMs(-1)))
    const counts = await Promise.all(Array.from({ length: 5 }, () => eraseExpiredSecrets(database)))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(8)
    expect(await kept.ofEndpoints()).toHaveLength(1)
  })
})
