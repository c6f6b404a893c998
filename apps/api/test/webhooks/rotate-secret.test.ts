import { signingSecretContext } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { managesWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { countEventRows, noEventRows } from '../support/events.ts'
import { refusalOf } from '../support/refusals.ts'
import { store, useRotations } from '../support/rotations.ts'
import { auditOf, url } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'post', path: `/webhooks/${randomUUID()}/rotate-secret` } as const

testAccess(api, request, managesWebhooks)
testSecretsStore(request)

const conflict = { status: 409, code: 'conflict' }
const { subscribe, send, rotate, show, nextSecretsOf, endsOf, pass } = useRotations(api)

describe('POST /webhooks/{id}/rotate-secret: without an overlap period', () => {
  test.each([undefined, {}, { grace_seconds: 0 }])(
    '200 with the body %j returns a new secret, and the old one ends immediately',
    async (body) => {
      const { tenant, token, webhook, id, secret } = await subscribe()
      const before = Date.now()
      const response = await send(token, id, body)
      expect(response.status).toBe(200)
      const rotated = response.body
      expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(rotated.secret).not.toBe(secret)
      expect(rotated).toEqual({
        secret: rotated.secret,
        webhook: {
          ...webhook,
          secret_rotated_at: expect.any(String),
          updated_at: expect.any(String),
        },
      })
      expect(Date.parse(rotated.webhook.secret_rotated_at)).toBeGreaterThanOrEqual(before)
      expect(rotated.webhook.previous_secret_expires_at).toBeNull()
      expect(await show(token, id)).toEqual(rotated.webhook)
      expect(await nextSecretsOf(tenant)).toEqual([rotated.secret])
      expect(await endsOf(id)).toEqual([Infinity])
    },
  )

  test('a rotation also ends every earlier secret, even in its overlap period', async () => {
    const { tenant, token, id } = await subscribe()
    await rotate(token, id, 3_600)
    await rotate(token, id, 86_400)
    const last = await rotate(token, id)
    expect(await nextSecretsOf(tenant)).toEqual([last])
    expect((await show(token, id)).previous_secret_expires_at).toBeNull()
    expect(await endsOf(id)).toEqual([Infinity])
  })
})

describe('POST /webhooks/{id}/rotate-secret: with an overlap period', () => {
  test('200 shows when the old secret ends, and both secrets sign until then, the newest first', async () => {
    const { tenant, token, id, secret } = await subscribe()
    const before = Date.now()
    const { body } = await send(token, id, { grace_seconds: 86_400 })
    const end = Date.parse(body.webhook.previous_secret_expires_at)
    expect(end).toBeGreaterThanOrEqual(before + 86_400_000)
    expect(end).toBeLessThanOrEqual(Date.now() + 86_400_000)
    expect(await nextSecretsOf(tenant)).toEqual([body.secret, secret])
    expect(await show(token, id)).toEqual(body.webhook)
  })

  test('the old secret ends at the end of its overlap period', async () => {
    const { tenant, token, id, secret } = await subscribe()
    const next = await rotate(token, id, 3_600)
    await pass(id, 3_540)
    expect(await nextSecretsOf(tenant)).toEqual([next, secret])
    await pass(id, 60)
    expect(await nextSecretsOf(tenant)).toEqual([next])
    expect((await show(token, id)).previous_secret_expires_at).toBeNull()
  })

  test('several overlap periods run side by side, and each secret ends at its own time', async () => {
    const { tenant, token, id, secret } = await subscribe()
    const graces = [1_000, 60, 86_400, 30]
    const secrets = [secret]
    const before = Date.now()
    for (const graceSeconds of graces) secrets.push(await rotate(token, id, graceSeconds))
    const after = Date.now()
    expect(await nextSecretsOf(tenant)).toEqual(secrets.toReversed())
    const ends = await endsOf(id)
    for (const [index, graceSeconds] of graces.toSorted((a, b) => a - b).entries()) {
      expect(ends[index]).toBeGreaterThanOrEqual(before + graceSeconds * 1_000)
      expect(ends[index]).toBeLessThanOrEqual(after + graceSeconds * 1_000)
    }
    expect(ends.at(-1)).toBe(Infinity)
    const { previous_secret_expires_at } = await show(token, id)
    expect(Date.parse(previous_secret_expires_at)).toBe(ends.at(-2))
  })

  test('409 conflict with 10 valid secrets, without any change, until one of them ends', async () => {
    const { tenant, token, id, secret } = await subscribe()
    const secrets = [secret]
    for (let count = 0; count < 8; count++) secrets.push(await rotate(token, id, 3_600))
    secrets.push(await rotate(token, id, 600))
    const before = await show(token, id)
    const entries = await auditOf(api, tenant.id)
    const refused = await send(token, id, { grace_seconds: 3_600 })
    expect(refusalOf(refused)).toEqual(conflict)
    expect(await show(token, id)).toEqual(before)
    expect(await auditOf(api, tenant.id)).toHaveLength(entries.length)
    expect(await endsOf(id)).toHaveLength(10)
    await pass(id, 600)
    const next = await rotate(token, id, 3_600)
    const expected = [...secrets.toSpliced(8, 1), next].toReversed()
    expect(await nextSecretsOf(tenant)).toEqual(expected)
    // The one that ended is erased.
    expect(await endsOf(id)).toHaveLength(10)
  })

  test('with 10 valid secrets a rotation without an overlap period succeeds', async () => {
    const { tenant, token, id } = await subscribe()
    for (let count = 0; count < 9; count++) await rotate(token, id, 60)
    expect(await nextSecretsOf(tenant)).toHaveLength(10)
    const last = await rotate(token, id)
    expect(await nextSecretsOf(tenant)).toEqual([last])
  })
})

describe('POST /webhooks/{id}/rotate-secret: side effects', () => {
  test('only this response contains the secret, which is stored encrypted', async () => {
    const { tenant, token, id, secret: first } = await subscribe()
    const secret = await rotate(token, id, 60)
    const rows = await api.database.prisma.webhookSecret.findMany({ where: { endpointId: id } })
    const entries = await auditOf(api, tenant.id)
    const kept = JSON.stringify([rows, entries])
    for (const each of [first, secret]) expect(kept).not.toContain(each.slice('whsec_'.length))
    for (const path of ['/webhooks', `/webhooks/${id}`]) {
      expect((await api.call('get', path, { token })).text).not.toContain('whsec_')
    }
  })

  test('the audit log shows who rotated the secret, with which overlap period', async () => {
    const { tenant, key, token, id } = await subscribe()
    const responses = [await send(token, id, { grace_seconds: 60 }), await send(token, id)]
    const common = {
      action: 'webhook.rotate_secret',
      outcome: 'success',
      actorId: key.userId,
      actorKeyId: key.id,
      targetType: 'webhook',
      targetId: id,
    }
    expect((await auditOf(api, tenant.id)).slice(1)).toEqual(
      responses.map(({ headers }, index) =>
        expect.objectContaining({
          ...common,
          requestId: headers['x-request-id'],
          details: { grace_seconds: [60, 0][index] },
        }),
      ),
    )
  })

  test('another endpoint keeps its secret, and no event is created', async () => {
    const { tenant, token, id } = await subscribe()
    const other = (await api.call('post', '/webhooks', { token, body: { url, events: ['*'] } }))
      .body
    await rotate(token, id)
    const where = { endpointId: other.webhook.id }
    const rows = await api.database.prisma.webhookSecret.findMany({ where })
    expect(
      rows.map(({ id: row, encrypted }) => store.decrypt(encrypted, signingSecretContext(row))),
    ).toEqual([other.secret])
    expect(await countEventRows(api, tenant.id)).toEqual(noEventRows)
  })

  test('a disabled endpoint gets a new secret and stays disabled', async () => {
    const { token, id } = await subscribe({ enabled: false })
    const { status, body } = await send(token, id, { grace_seconds: 60 })
    expect(status).toBe(200)
    expect(body.webhook.enabled).toBe(false)
  })
})

describe('POST /webhooks/{id}/rotate-secret: Idempotency-Key', () => {
  test('replays the response without the secret, and rotates once', async () => {
    const { tenant, token, id, secret } = await subscribe()
    const headers = { 'idempotency-key': 'once' }
    const first = await send(token, id, { grace_seconds: 60 }, headers)
    const again = await send(token, id, { grace_seconds: 60 }, headers)
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' })
    expect([again.status, again.body]).toEqual([200, { ...first.body, secret: null }])
    expect(await nextSecretsOf(tenant)).toEqual([first.body.secret, secret])
    expect(await auditOf(api, tenant.id)).toHaveLength(2)
    const other = await send(token, id, { grace_seconds: 61 }, headers)
    expect(refusalOf(other)).toEqual({ status: 422, code: 'idempotency_key_reused' })
  })

  test('the stored response does not contain the secret', async () => {
    const { token, id } = await subscribe()
    const headers = { 'idempotency-key': randomUUID() }
    const { body } = await send(token, id, undefined, headers)
    const { rows } = await api.database.pool.query<{ row: string }>(
      'SELECT r::text AS row FROM idempotency_records r WHERE key = $1',
      [headers['idempotency-key']],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]!.row).not.toContain(body.secret.slice('whsec_'.length))
  })
})
