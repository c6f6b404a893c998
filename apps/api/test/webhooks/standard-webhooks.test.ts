import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { auditOf, makeWebhook, url } from '../support/webhooks.ts'

const api = useApi({ WEBHOOK_ALLOWED_NETWORKS: '' })

const create = (token: string, standard_webhooks: unknown) =>
  api.call('post', '/webhooks', { token, body: { url, events: ['*'], standard_webhooks } })

const turn = (token: string, id: string, standard_webhooks: unknown) =>
  api.call('patch', `/webhooks/${id}`, { token, body: { standard_webhooks } })

const rotate = (token: string, id: string, grace_seconds: number) =>
  api.call('post', `/webhooks/${id}/rotate-secret`, { token, body: { grace_seconds } })

/** Gives the endpoint's secrets the form that earlier versions created. */
const makeOlder = (endpointId: string) =>
  api.database.prisma.webhookSecret.updateMany({
    where: { endpointId },
    data: { standardForm: false },
  })

/** An endpoint of an earlier version. */
async function makeOlderWebhook() {
  const { token } = await api.makeAdmin()
  const { id } = await makeWebhook(api, token)
  await makeOlder(id)
  return { token, id }
}

describe('standard_webhooks', () => {
  test('is false by default, and can be set on create', async () => {
    const { token, tenant } = await api.makeAdmin()
    expect((await create(token, undefined)).body.webhook.standard_webhooks).toBe(false)
    expect((await create(token, true)).body.webhook.standard_webhooks).toBe(true)
    const [, created] = await auditOf(api, tenant.id)
    expect(created!.details).toMatchObject({ standard_webhooks: true })
  })

  test('can be turned on and off', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    for (const on of [true, true, false, false, true]) {
      const { status, body } = await turn(token, id, on)
      expect({ status, on: body.webhook.standard_webhooks }).toEqual({ status: 200, on })
    }
    const [, updated] = await auditOf(api, tenant.id)
    expect(updated!.details).toMatchObject({
      before: { standard_webhooks: false },
      after: { standard_webhooks: true },
    })
  })

  test.each([null, 'true', 1])('422 for %j', async (given) => {
    const { token } = await api.makeAdmin()
    expect(refusalOf(await create(token, given))).toEqual(invalid('/standard_webhooks'))
    const { id } = await makeWebhook(api, token)
    expect(refusalOf(await turn(token, id, given))).toEqual(invalid('/standard_webhooks'))
  })
})

describe('while a secret of the older form is valid, turning standard_webhooks on', () => {
  test('is 409 conflict, changes nothing and says what to do', async () => {
    const { token, id } = await makeOlderWebhook()
    const body = { standard_webhooks: true, description: 'Second', headers: { 'X-A': '1' } }
    const response = await api.call('patch', `/webhooks/${id}`, { token, body })
    expect(refusalOf(response)).toMatchObject({ status: 409, code: 'conflict' })
    expect(response.body.detail).toContain('Rotate the secret')
    const { webhook } = (await api.call('get', `/webhooks/${id}`, { token })).body
    expect(webhook).toMatchObject({
      standard_webhooks: false,
      description: null,
      header_names: [],
    })
  })

  test('succeeds after a rotation without an overlap period', async () => {
    const { token, id } = await makeOlderWebhook()
    await rotate(token, id, 0)
    expect(await turn(token, id, true)).toMatchObject({ status: 200 })
  })

  test('succeeds after a rotation once its overlap period has ended', async () => {
    const { token, id } = await makeOlderWebhook()
    await rotate(token, id, 3_600)
    expect(refusalOf(await turn(token, id, true))).toMatchObject({ status: 409 })
    await api.database.pool.query(
      `UPDATE webhook_secrets SET expires_at = now() - interval '1 s'
       WHERE endpoint_id = $1 AND expires_at IS NOT NULL`,
      [id],
    )
    expect(await turn(token, id, true)).toMatchObject({ status: 200 })
  })

  test('is irrelevant if it is already on or is turned off', async () => {
    const { token } = await api.makeAdmin()
    const { id } = (await create(token, true)).body.webhook
    await makeOlder(id)
    expect(await turn(token, id, true)).toMatchObject({ status: 200 })
    expect(await turn(token, id, false)).toMatchObject({ status: 200 })
    expect(await turn(token, id, true)).toMatchObject({ status: 409 })
  })

  test('race with rotations: afterwards it is on only if no older secret is valid', async () => {
    for (let round = 0; round < 5; round++) {
      const { token, id } = await makeOlderWebhook()
      const [turned] = await Promise.all([turn(token, id, true), rotate(token, id, 0)])
      expect([200, 409]).toContain(turned.status)
      const { webhook } = (await api.call('get', `/webhooks/${id}`, { token })).body
      expect(webhook.standard_webhooks).toBe(turned.status === 200)
      const older = { endpointId: id, standardForm: false }
      expect(await api.database.prisma.webhookSecret.count({ where: older })).toBe(0)
    }
  })
})
