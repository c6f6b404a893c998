import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { fields, isReplay, useIdempotentRequests } from '../support/idempotent-requests.ts'
import { makeKeyWith, statusWith } from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'

const api = useApi({ LOG_LEVEL: 'fatal' })

const reused = { status: 422, code: 'idempotency_key_reused' }
const inProgress = { status: 409, code: 'idempotency_in_progress' }

const { asAdmin, send, countKeys, actionsOf } = useIdempotentRequests(api)

/** Holds a key's row, so that whoever changes it waits; gives how to let go. */
async function holdKey(id: string): Promise<() => Promise<void>> {
  const client = await api.database.pool.connect()
  await client.query('BEGIN')
  await client.query('SELECT 1 FROM api_keys WHERE id = $1 FOR NO KEY UPDATE', [id])
  return async () => {
    await client.query('COMMIT')
    client.release()
  }
}

const isClaimed = async (caller: string) =>
  (await api.database.prisma.idempotencyRecord.count({ where: { caller: `key:${caller}` } })) > 0

describe('concurrent requests', () => {
  test('20 identical requests create one key', async () => {
    const { tenant, token } = await asAdmin()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => send({ token, body: fields })),
    )
    const made = responses.filter((response) => response.status === 201 && !isReplay(response))
    expect(made).toHaveLength(1)
    const others = responses.filter(({ status }) => status !== 201)
    for (const response of others) expect(refusalOf(response)).toEqual(inProgress)
    for (const { body } of responses.filter(({ status }) => status === 201)) {
      expect(body.key).toEqual(made[0]!.body.key)
    }
    expect(await countKeys(tenant.id)).toBe(2)
    expect(await actionsOf(tenant.id)).toEqual(['api_key.create'])
    const again = await send({ token, body: fields })
    expect(again.body).toEqual({ ...made[0]!.body, token: null })
  })

  test('409 idempotency_in_progress with Retry-After while the first request is running', async () => {
    const { tenant, id, token } = await asAdmin()
    const made = await makeKeyWith(api, token)
    const letGo = await holdKey(made.id)
    const request = { token, path: `/api-keys/${made.id}/rotate`, body: {} }
    const first = send(request)
    const running = first.then(() => undefined)
    await until('it is claimed', () => isClaimed(id))
    const second = await send(request)
    expect(refusalOf(second)).toEqual(inProgress)
    expect(second.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(refusalOf(await send({ ...request, body: { grace_seconds: 1 } }))).toEqual(reused)
    await letGo()
    await running
    const { status, body } = await first
    expect(status).toBe(200)
    expect((await send(request)).body).toEqual({ ...body, token: null })
    expect(await actionsOf(tenant.id)).toEqual(['api_key.create', 'api_key.rotate'])
  })

  test('a request that outlives its lock is taken over, and its own work is rolled back', async () => {
    const { tenant, id, token } = await asAdmin()
    const made = await makeKeyWith(api, token)
    const letGo = await holdKey(made.id)
    const request = { token, path: `/api-keys/${made.id}/rotate` }
    const first = send(request).then((response) => response)
    await until('it is claimed', () => isClaimed(id))
    const record = { where: { caller_key: { caller: `key:${id}`, key: 'once' } } }
    const { prisma } = api.database
    const { runId } = await prisma.idempotencyRecord.findUniqueOrThrow(record)
    const lockedUntil = new Date(Date.now() - 1)
    await prisma.idempotencyRecord.update({ ...record, data: { lockedUntil } })
    const second = send(request).then((response) => response)
    await until(
      'it is taken over',
      async () => (await prisma.idempotencyRecord.findUniqueOrThrow(record)).runId !== runId,
    )
    await letGo()
    expect(refusalOf(await first)).toEqual(inProgress)
    const { status, body } = await second
    expect(status).toBe(200)
    expect(await statusWith(api, body.token)).toBe(200)
    expect((await send(request)).body).toEqual({ ...body, token: null })
    expect(await actionsOf(tenant.id)).toEqual(['api_key.create', 'api_key.rotate'])
  })

  test('a request whose process died is taken over after its lock expires, not before', async () => {
    const { tenant, id, token } = await asAdmin()
    await send({ token, body: fields })
    const die = (lockedUntil: Date) =>
      api.database.prisma.idempotencyRecord.update({
        where: { caller_key: { caller: `key:${id}`, key: 'once' } },
        data: { status: null, runId: crypto.randomUUID(), lockedUntil },
      })
    await die(new Date(Date.now() + 60_000))
    expect(refusalOf(await send({ token, body: fields }))).toEqual(inProgress)
    await die(new Date(Date.now() - 1))
    expect(refusalOf(await send({ token, body: { ...fields, name: 'x' } }))).toEqual(reused)
    const taken = await send({ token, body: fields })
    expect({ status: taken.status, replay: isReplay(taken) }).toEqual({
      status: 201,
      replay: false,
    })
    expect(isReplay(await send({ token, body: fields }))).toBe(true)
    expect(await countKeys(tenant.id)).toBe(3)
  })
})
