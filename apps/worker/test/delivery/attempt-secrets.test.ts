import { signingSecretContext, type SigningKey } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import { makeSubscriber } from '../../../../packages/postgres/test/support/fixtures.ts'
import { createSigningKeys } from '../../src/delivery/attempt-secrets.ts'
import { tapStatements } from '../../../../packages/postgres/test/support/tap-statements.ts'
import { testStore } from '../support/attempts.ts'

const database = useDatabase()

/** Stores a secret, encrypted for its own or another record. Returns its id. */
async function makeSecret(secret: string, { encryptedFor }: { encryptedFor?: string } = {}) {
  const { endpointId } = await makeSubscriber(database)
  const id = randomUUID()
  const encrypted = testStore.encrypt(secret, signingSecretContext(encryptedFor ?? id))
  await database.prisma.webhookSecret.updateMany({ where: { endpointId }, data: { id, encrypted } })
  return id
}

/** Keys that are read over a connection whose statements are counted. */
function openKeys(options?: { keptMax: number }) {
  const statements: string[] = []
  const counted = tapStatements(database, (name) => void statements.push(name))
  return { keysOf: createSigningKeys(counted, testStore, options), statements }
}

const textsOf = (keys: readonly SigningKey[] | undefined) =>
  keys?.map(({ whole }) => whole.export().toString('utf8'))

describe('the signing key of a secret', () => {
  test('is the whole secret, returned in the requested order and read once', async () => {
    const { keysOf, statements } = openKeys()
    const [older, newer] = [await makeSecret('whsec_old'), await makeSecret('whsec_ключ')]
    for (let times = 0; times < 3; times++) {
      expect(textsOf(await keysOf([newer, older]))).toEqual(['whsec_ключ', 'whsec_old'])
      expect(textsOf(await keysOf([older]))).toEqual(['whsec_old'])
    }
    expect(statements).toHaveLength(1)
  })

  test('is the decoded bytes for Standard Webhooks, unless the secret has the older form', async () => {
    const { keysOf } = openKeys()
    const bytes = Buffer.alloc(32, 0xfb)
    const ids = [
      await makeSecret(`whsec_${bytes.toString('base64')}`),
      await makeSecret(`whsec_${bytes.toString('base64url')}`),
    ]
    const keys = await keysOf(ids)
    expect(keys!.map(({ standard }) => standard?.export())).toEqual([bytes, undefined])
  })

  test('is read together with all others that are requested concurrently', async () => {
    const { keysOf, statements } = openKeys()
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, index) => makeSecret(`whsec_${index}`)),
    )
    const keys = await Promise.all([...ids, ...ids].map((id) => keysOf([id])))
    expect(keys.slice(0, 20).flatMap(textsOf)).toEqual(ids.map((_, index) => `whsec_${index}`))
    expect(keys.slice(20).map(textsOf)).toEqual(keys.slice(0, 20).map(textsOf))
    expect(statements).toHaveLength(1)
  })

  test('of a rotated secret is read even if the previous one is cached', async () => {
    const { keysOf } = openKeys()
    const before = await makeSecret('whsec_before')
    await keysOf([before])
    const after = await makeSecret('whsec_after')
    expect(textsOf(await keysOf([after, before]))).toEqual(['whsec_after', 'whsec_before'])
    expect(textsOf(await keysOf([after]))).toEqual(['whsec_after'])
  })

  test('is not returned if another requested one is missing, and the miss is not cached', async () => {
    const { keysOf } = openKeys()
    const present = await makeSecret('whsec_present')
    const gone = randomUUID()
    expect(await keysOf([present, gone])).toBeUndefined()
    expect(textsOf(await keysOf([present]))).toEqual(['whsec_present'])
  })

  test('that was least recently used is dropped first', async () => {
    const { keysOf, statements } = openKeys({ keptMax: 2 })
    const [busy, idle, third] = [
      await makeSecret('whsec_busy'),
      await makeSecret('whsec_idle'),
      await makeSecret('whsec_third'),
    ]
    for (const id of [busy, idle, busy, third]) await keysOf([id])
    expect(statements).toHaveLength(3)
    await keysOf([busy])
    expect(statements).toHaveLength(3)
    await keysOf([idle])
    expect(statements).toHaveLength(4)
  })

  test('of a secret that was encrypted for another record cannot be decrypted', async () => {
    const { keysOf } = openKeys()
    const moved = await makeSecret('whsec_moved', { encryptedFor: randomUUID() })
    const good = await makeSecret('whsec_good')
    const [failure, key] = await Promise.allSettled([keysOf([moved]), keysOf([good])])
    expect([failure.status, key.status]).toEqual(['rejected', 'fulfilled'])
  })
})
