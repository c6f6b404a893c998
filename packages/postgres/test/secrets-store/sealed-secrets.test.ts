import { createSecretsStore } from '@hosting/core/secrets-store'
import { totpContext } from '@hosting/core/sessions'
import {
  createSigningSecret,
  customHeadersContext,
  signingSecretContext,
} from '@hosting/core/webhooks'
import { findSealedSecrets } from '@hosting/postgres/deliveries'
import { putUser } from '@hosting/postgres/directory'
import { countSealedSecrets, resealSecrets } from '@hosting/postgres/secrets-store'
import {
  activateTotpFactor,
  enrolTotpFactor,
  findTotpFactor,
  lockTotpFactor,
} from '@hosting/postgres/sessions'
import {
  createWebhookEndpoint,
  findSealedHeaders,
  listWebhookSecretEnds,
  lockWebhookEndpoint,
  rotateWebhookSecret,
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
/** What processes have while the keys change: the new one seals, both open. */
const underBoth = createSecretsStore([newKey, oldKey])
const reseal = (pageSize?: number) =>
  resealSecrets(database, underBoth, { keyId: newKey.id, ...(pageSize && { pageSize }) })

/** An endpoint whose signing secret is sealed under the old key. */
async function makeSealedEndpoint(tenantId: string, options: { withHeaders?: boolean } = {}) {
  const [id, secretId, secret] = [randomUUID(), randomUUID(), createSigningSecret()]
  const headersId = randomUUID()
  const headers = `{"X-Token":"${secret}"}`
  await createWebhookEndpoint(database.prisma, {
    id,
    tenantId,
    url: 'https://hooks.example.com/in',
    events: ['*'],
    description: null,
    enabled: true,
    createdAt: new Date(),
    secretId,
    sealedSecret: underOld.seal(secret, signingSecretContext(secretId)),
    ...(options.withHeaders && {
      headers: {
        id: headersId,
        names: ['x-token'],
        sealed: underOld.seal(headers, customHeadersContext(headersId)),
      },
    }),
  })
  return { id, tenantId, secretId, secret, headersId, headers }
}

/** A person whose authenticator's seed is sealed under the old key. */
async function makeSealedSeed(tenantId: string) {
  const [id, seed] = [randomUUID(), createSigningSecret()]
  await database.prisma.$transaction(async (tx) => {
    const email = `${id}@example.test`
    await putUser(tx, { id, tenantId, name: 'Ana', status: 'active', roles: ['admin'], email }, [])
    await enrolTotpFactor(tx, id, underOld.seal(seed, totpContext(id)))
  })
  return { id, seed }
}

const openWith = async (store: typeof underNew, secretId: string): Promise<string> =>
  store.unseal(
    (await findSealedSecrets(database, [secretId])).get(secretId)!,
    signingSecretContext(secretId),
  )

/** Gives the endpoint a new secret, as the API does, with a key of its own. */
async function rotate(store: typeof underNew, { id, tenantId }: { id: string; tenantId: string }) {
  const [secretId, secret] = [randomUUID(), createSigningSecret()]
  await database.prisma.$transaction(async (tx) => {
    await lockWebhookEndpoint(tx, tenantId, id)
    const ended = (await listWebhookSecretEnds(tx, id)).map((each) => each.id)
    await rotateWebhookSecret(tx, id, {
      ended,
      retiring: undefined,
      secretId,
      sealedSecret: store.seal(secret, signingSecretContext(secretId)),
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

describe('resealSecrets', () => {
  test('re-encrypts secrets of an old key, across pages, so that only the new key decrypts them', async () => {
    const tenantId = await makeTenant(database)
    const endpoints = await Promise.all(
      Array.from({ length: 5 }, () => makeSealedEndpoint(tenantId, { withHeaders: true })),
    )
    const people = await Promise.all(Array.from({ length: 3 }, () => makeSealedSeed(tenantId)))
    await expect(openWith(underNew, endpoints[0]!.secretId)).rejects.toThrow('No key')

    expect(await reseal(2)).toEqual({ resealed: 13, unopened: [] })
    for (const { secretId, secret } of endpoints) {
      expect(await openWith(underNew, secretId)).toBe(secret)
    }
    const sealed = await findSealedHeaders(
      database,
      endpoints.map(({ headersId }) => headersId),
    )
    for (const { headersId, headers } of endpoints) {
      const context = customHeadersContext(headersId)
      expect(underNew.unseal(sealed.get(headersId)!, context)).toBe(headers)
    }
    for (const { id, seed } of people) {
      const { sealedSeed } = (await findTotpFactor(database.prisma, id))!
      expect(underNew.unseal(sealedSeed, totpContext(id))).toBe(seed)
    }
    expect(await countSealedSecrets(database)).toEqual([
      { table: 'webhook_secrets', keyId: newKey.id, count: 5 },
      { table: 'webhook_headers', keyId: newKey.id, count: 5 },
      { table: 'totp_factors', keyId: newKey.id, count: 3 },
    ])
    expect(await reseal()).toEqual({ resealed: 0, unopened: [] })
  })

  test('names and skips a record that no key decrypts, and completes the rest', async () => {
    const tenantId = await makeTenant(database)
    const lost = await makeSealedEndpoint(tenantId)
    const good = await makeSealedEndpoint(tenantId)
    const sealed = createSecretsStore([key('2024', 3)]).seal(
      'x',
      signingSecretContext(lost.secretId),
    )
    await database.prisma.webhookSecret.update({ where: { id: lost.secretId }, data: { sealed } })

    expect(await reseal()).toEqual({
      resealed: 1,
      unopened: [{ table: 'webhook_secrets', id: lost.secretId }],
    })
    expect(await openWith(underNew, good.secretId)).toBe(good.secret)
    expect(await countSealedSecrets(database)).toEqual([
      { table: 'webhook_secrets', keyId: '2024', count: 1 },
      { table: 'webhook_secrets', keyId: newKey.id, count: 1 },
    ])
  })

  test('keeps the new value of a record that changed since it was read', async () => {
    const tenantId = await makeTenant(database)
    const { id } = await makeSealedSeed(tenantId)
    const reenrolled = underOld.seal('enrolled again', totpContext(id))
    const held = await database.pool.connect()
    await held.query('BEGIN')
    await held.query('UPDATE totp_factors SET sealed_seed = $2 WHERE user_id = $1', [
      id,
      reenrolled,
    ])
    const reading = Promise.withResolvers<void>()
    const telling = {
      ...underBoth,
      unseal(sealed: string, context: string) {
        reading.resolve()
        return underBoth.unseal(sealed, context)
      },
    }
    const resealing = resealSecrets(database, telling, { keyId: newKey.id })
    await reading.promise
    await held.query('COMMIT')
    held.release()
    expect(await resealing).toEqual({ resealed: 0, unopened: [] })
    expect((await findTotpFactor(database.prisma, id))!.sealedSeed).toBe(reenrolled)
    expect((await reseal()).resealed).toBe(1)
  })

  test('does not disturb an activation that has read its seed', async () => {
    const { id: userId } = await makeSealedSeed(await makeTenant(database))
    let resealing: Promise<unknown> | undefined
    const isActivated = await database.prisma.$transaction(async (tx) => {
      await lockTotpFactor(tx, userId)
      const { sealedSeed } = (await findTotpFactor(tx, userId))!
      resealing = reseal()
      await Promise.race([resealing, untilSomebodyWaits()])
      const codes = { timeStep: 1, recoveryCodeHashes: [] }
      return activateTotpFactor(tx, { userId, sealedSeed }, codes)
    })
    expect(isActivated).toBe(true)
    expect(await resealing).toEqual({ resealed: 1, unopened: [] })
  })

  test('race: concurrent rotations and runs lose no secret, and a last run leaves none with an old key', async () => {
    const tenantId = await makeTenant(database)
    const endpoints = await Promise.all(
      Array.from({ length: 30 }, () => makeSealedEndpoint(tenantId)),
    )
    const rotated = endpoints.slice(0, 15)
    const [secrets] = await Promise.all([
      // Processes that were not restarted yet seal under the old key.
      Promise.all(rotated.map((each, index) => rotate(index % 2 ? underOld : underBoth, each))),
      reseal(3),
      reseal(7),
    ])
    await reseal()
    const present = [...secrets, ...endpoints.slice(15)]
    for (const { secretId, secret } of present) {
      expect(await openWith(underNew, secretId)).toBe(secret)
    }
    expect(await countSealedSecrets(database)).toEqual([
      { table: 'webhook_secrets', keyId: newKey.id, count: 30 },
    ])
  })
})

test('every sealed column of the schema is resealed', () => {
  const schema = readFileSync(`${root}prisma/schema.prisma`, 'utf8')
  const models = schema.split(/^model /m).filter((model) => /^\s+sealed\w*\s+String/m.test(model))
  const sealed = models.map((model) => /@@map\("(\w+)"\)/.exec(model)![1])
  expect(sealed).toEqual(['totp_factors', 'webhook_secrets', 'webhook_headers'])
})
