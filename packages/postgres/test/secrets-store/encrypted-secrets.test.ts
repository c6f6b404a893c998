import { createSecretsStore } from '@hosting/core/secrets-store'
import { totpContext } from '@hosting/core/sessions'
import {
  createSigningSecret,
  customHeadersContext,
  signingSecretContext,
} from '@hosting/core/webhooks'
import { findEncryptedSecrets } from '@hosting/postgres/deliveries'
import { putUser } from '@hosting/postgres/directory'
import { countEncryptedSecrets, reencryptSecrets } from '@hosting/postgres/secrets-store'
import {
  activateTotpFactor,
  enrolTotpFactor,
  findTotpFactor,
  lockTotpFactor,
} from '@hosting/postgres/sessions'
import {
  createEndpoint,
  findEncryptedHeaders,
  listEndpointSecretEnds,
  lockEndpoint,
  rotateEndpointSecret,
} from '@hosting/postgres/webhooks'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { root } from '../../../../tools/run.ts'
import { useDatabase } from '../support/database.ts'
import { makeTenant } from '../support/fixtures.ts'

const database = useDatabase()
beforeEach(async () => {
  await database.prisma.webhookSecret.deleteMany()
  await database.prisma.webhookHeaders.deleteMany()
  await database.prisma.totpFactor.deleteMany()
})

const key = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) })
const [oldKey, newKey] = [key('2025', 1), key('2026', 2)]
const underOld = createSecretsStore([oldKey])
const underNew = createSecretsStore([newKey])
/** What processes have while the keys change: the new one encrypts, both open. */
const underBoth = createSecretsStore([newKey, oldKey])
const reencrypt = (pageSize?: number) =>
  reencryptSecrets(database, underBoth, { keyId: newKey.id, ...(pageSize && { pageSize }) })

/** An endpoint whose signing secret is encrypted under the old key. */
async function makeEncryptedEndpoint(tenantId: string, options: { withHeaders?: boolean } = {}) {
  const [id, secretId, secret] = [randomUUID(), randomUUID(), createSigningSecret()]
  const headersId = randomUUID()
  const headers = `{"X-Token":"${secret}"}`
  await createEndpoint(database.prisma, {
    id,
    tenantId,
    url: 'https://hooks.example.com/in',
    events: ['*'],
    description: null,
    enabled: true,
    createdAt: new Date(),
    secretId,
    encryptedSecret: underOld.encrypt(secret, signingSecretContext(secretId)),
    ...(options.withHeaders && {
      headers: {
        id: headersId,
        names: ['x-token'],
        encrypted: underOld.encrypt(headers, customHeadersContext(headersId)),
      },
    }),
  })
  return { id, tenantId, secretId, secret, headersId, headers }
}

/** A person whose authenticator's seed is encrypted under the old key. */
async function makeEncryptedSeed(tenantId: string) {
  const [id, seed] = [randomUUID(), createSigningSecret()]
  await database.prisma.$transaction(async (tx) => {
    const email = `${id}@example.test`
    await putUser(tx, { id, tenantId, name: 'Ana', status: 'active', roles: ['admin'], email }, [])
    await enrolTotpFactor(tx, id, underOld.encrypt(seed, totpContext(id)))
  })
  return { id, seed }
}

const openWith = async (store: typeof underNew, secretId: string): Promise<string> =>
  store.decrypt(
    (await findEncryptedSecrets(database, [secretId])).get(secretId)!,
    signingSecretContext(secretId),
  )

/** Gives the endpoint a new secret, as the API does, with a key of its own. */
async function rotate(store: typeof underNew, { id, tenantId }: { id: string; tenantId: string }) {
  const [secretId, secret] = [randomUUID(), createSigningSecret()]
  await database.prisma.$transaction(async (tx) => {
    await lockEndpoint(tx, tenantId, id)
    const removed = (await listEndpointSecretEnds(tx, id)).map((each) => each.id)
    await rotateEndpointSecret(tx, id, {
      removed,
      retiring: undefined,
      secretId,
      encryptedSecret: store.encrypt(secret, signingSecretContext(secretId)),
      now: new Date(),
    })
  })
  return { secretId, secret }
}

/** Waits until a statement in this database waits for a lock. */
async function untilSomebodyWaits(): Promise<void> {
  for (let waiting = 0; waiting === 0;) {
    const { rows } = await database.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    waiting = rows[0]!.count
  }
}

describe('reencryptSecrets', () => {
  test('re-encrypts secrets of an old key, across pages, so that only the new key decrypts them', async () => {
    const tenantId = await makeTenant(database)
    const endpoints = await Promise.all(
      Array.from({ length: 5 }, () => makeEncryptedEndpoint(tenantId, { withHeaders: true })),
    )
    const people = await Promise.all(Array.from({ length: 3 }, () => makeEncryptedSeed(tenantId)))
    await expect(openWith(underNew, endpoints[0]!.secretId)).rejects.toThrow('No key')

    expect(await reencrypt(2)).toEqual({ reencrypted: 13, undecryptable: [] })
    for (const { secretId, secret } of endpoints) {
      expect(await openWith(underNew, secretId)).toBe(secret)
    }
    const encrypted = await findEncryptedHeaders(
      database,
      endpoints.map(({ headersId }) => headersId),
    )
    for (const { headersId, headers } of endpoints) {
      const context = customHeadersContext(headersId)
      expect(underNew.decrypt(encrypted.get(headersId)!, context)).toBe(headers)
    }
    for (const { id, seed } of people) {
      const { encryptedSeed } = (await findTotpFactor(database.prisma, id))!
      expect(underNew.decrypt(encryptedSeed, totpContext(id))).toBe(seed)
    }
    expect(await countEncryptedSecrets(database)).toEqual([
      { table: 'webhook_secrets', keyId: newKey.id, count: 5 },
      { table: 'webhook_headers', keyId: newKey.id, count: 5 },
      { table: 'totp_factors', keyId: newKey.id, count: 3 },
    ])
    expect(await reencrypt()).toEqual({ reencrypted: 0, undecryptable: [] })
  })

  test('names and skips a record that no key decrypts, and completes the rest', async () => {
    const tenantId = await makeTenant(database)
    const lost = await makeEncryptedEndpoint(tenantId)
    const good = await makeEncryptedEndpoint(tenantId)
    const encrypted = createSecretsStore([key('2024', 3)]).encrypt(
      'x',
      signingSecretContext(lost.secretId),
    )
    await database.prisma.webhookSecret.update({
      where: { id: lost.secretId },
      data: { encrypted },
    })

    expect(await reencrypt()).toEqual({
      reencrypted: 1,
      undecryptable: [{ table: 'webhook_secrets', id: lost.secretId }],
    })
    expect(await openWith(underNew, good.secretId)).toBe(good.secret)
    expect(await countEncryptedSecrets(database)).toEqual([
      { table: 'webhook_secrets', keyId: '2024', count: 1 },
      { table: 'webhook_secrets', keyId: newKey.id, count: 1 },
    ])
  })

  test('keeps the new value of a record that changed since it was read', async () => {
    const tenantId = await makeTenant(database)
    const { id } = await makeEncryptedSeed(tenantId)
    const reenrolled = underOld.encrypt('enrolled again', totpContext(id))
    const held = await database.pool.connect()
    await held.query('BEGIN')
    await held.query('UPDATE totp_factors SET encrypted_seed = $2 WHERE user_id = $1', [
      id,
      reenrolled,
    ])
    const reading = Promise.withResolvers<void>()
    const telling = {
      ...underBoth,
      decrypt(encrypted: string, context: string) {
        reading.resolve()
        return underBoth.decrypt(encrypted, context)
      },
    }
    const reencrypting = reencryptSecrets(database, telling, { keyId: newKey.id })
    await reading.promise
    await held.query('COMMIT')
    held.release()
    expect(await reencrypting).toEqual({ reencrypted: 0, undecryptable: [] })
    expect((await findTotpFactor(database.prisma, id))!.encryptedSeed).toBe(reenrolled)
    expect((await reencrypt()).reencrypted).toBe(1)
  })

  test('does not disturb an activation that has read its seed', async () => {
    const { id: userId } = await makeEncryptedSeed(await makeTenant(database))
    let reencrypting: Promise<unknown> | undefined
    const isActivated = await database.prisma.$transaction(async (tx) => {
      await lockTotpFactor(tx, userId)
      const { encryptedSeed } = (await findTotpFactor(tx, userId))!
      reencrypting = reencrypt()
      await Promise.race([reencrypting, untilSomebodyWaits()])
      const codes = { timeStep: 1, recoveryCodeHashes: [] }
      return activateTotpFactor(tx, { userId, encryptedSeed }, codes)
    })
    expect(isActivated).toBe(true)
    expect(await reencrypting).toEqual({ reencrypted: 1, undecryptable: [] })
  })

  test('race: concurrent rotations and runs lose no secret, and a last run leaves none with an old key', async () => {
    const tenantId = await makeTenant(database)
    const endpoints = await Promise.all(
      Array.from({ length: 30 }, () => makeEncryptedEndpoint(tenantId)),
    )
    const rotated = endpoints.slice(0, 15)
    const [secrets] = await Promise.all([
      // Processes that were not restarted yet encrypt under the old key.
      Promise.all(rotated.map((each, index) => rotate(index % 2 ? underOld : underBoth, each))),
      reencrypt(3),
      reencrypt(7),
    ])
    await reencrypt()
    const present = [...secrets, ...endpoints.slice(15)]
    for (const { secretId, secret } of present) {
      expect(await openWith(underNew, secretId)).toBe(secret)
    }
    expect(await countEncryptedSecrets(database)).toEqual([
      { table: 'webhook_secrets', keyId: newKey.id, count: 30 },
    ])
  })
})

test('every encrypted column of the schema is reencrypted', () => {
  const schema = readFileSync(`${root}prisma/schema.prisma`, 'utf8')
  const models = schema
    .split(/^model /m)
    .filter((model) => /^\s+encrypted\w*\s+String/m.test(model))
  const encrypted = models.map((model) => /@@map\("(\w+)"\)/.exec(model)![1])
  expect(encrypted).toEqual(['totp_factors', 'webhook_secrets', 'webhook_headers'])
})
