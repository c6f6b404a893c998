import { eventTypes, exampleTypes } from '@hosting/core/webhooks'
import { verifyWebhook } from '@hosting/sdk'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { countEventRows, noEventRows } from '../support/events.ts'
import { api, begin } from '../support/listeners.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { auditOf, makeWebhook } from '../support/webhooks.ts'

/** Another process of the same installation. */
const other = useApi()

const path = '/webhooks/listen/trigger'
const request = { verb: 'post', path, body: { type: 'site.created' } } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)

const trigger = (token: string, body: unknown) => api.call('post', path, { token, body })

interface Triggered {
  readonly id: string
  readonly type: string
  readonly tenant_id: string
  readonly data: Readonly<Record<string, unknown>>
}

describe('POST /webhooks/listen/trigger', () => {
  test('202 sends the example, with the given data, to every stream of the caller, signed by each, on any process', async () => {
    const { tenant, token } = await api.makeAdmin()
    const streams = [await begin(token), await begin(token, other)]
    const data = { primary_domain: 'shop.example.com', change: 'domains' }
    const { status, body } = await trigger(token, { type: 'site.updated', data })
    expect({ status, body }).toEqual({ status: 202, body: { streams: 2 } })
    const ids = new Set<string>()
    for (const stream of streams) {
      const { headers, body: sent } = await stream.next()
      const event: Triggered = JSON.parse(sent)
      expect(event).toMatchObject({ type: 'site.updated', tenant_id: tenant.id })
      expect(event.data).toEqual({ ...eventTypes.get('site.updated')!.example, ...data })
      expect(headers['Service-Event']).toBe('site.updated')
      const signature = headers['Service-Signature']
      await expect(verifyWebhook(sent, signature, stream.secret)).resolves.toBeTruthy()
      ids.add(event.id)
    }
    expect(ids.size).toBe(1)
  })

  test('no other caller, endpoint, event log or count gets anything', async () => {
    const [tenant, stranger] = [await api.makeTenant(), await api.makeTenant()]
    const { token } = await tenant.makeKey()
    const [colleague, foreign] = [await tenant.makeKey(), await stranger.makeKey()]
    await makeWebhook(api, token)
    const own = await begin(token)
    const others = [await begin(colleague.token), await begin(foreign.token)]
    const audited = (await auditOf(api, tenant.id)).length
    await trigger(token, { type: 'site.created' })
    await own.next()
    // Each of the others gets its own event first.
    for (const [index, key] of [colleague, foreign].entries()) {
      await trigger(key.token, { type: 'job.failed' })
      expect((await others[index]!.next()).headers['Service-Event']).toBe('job.failed')
    }
    expect(await countEventRows(api, tenant.id)).toEqual(noEventRows)
    const usage = await api.database.pool.query(
      'SELECT FROM usage_batches WHERE $1 = ANY (tenant_ids)',
      [tenant.id],
    )
    expect(usage.rowCount).toBe(0)
    expect(await auditOf(api, tenant.id)).toHaveLength(audited)
  })

  test('every type with an example arrives, also with the longest data that its schema accepts', async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    const stream = await begin(token)
    for (const type of exampleTypes) {
      const { properties } = eventTypes.get(type)!.schema
      const texts = Object.entries(properties).filter(([, schema]) => schema.maxLength)
      const data = Object.fromEntries(
        texts.map(([name, { maxLength }]) => [name, '\u0001'.repeat(maxLength!)]),
      )
      expect((await trigger(token, { type, data })).status).toBe(202)
      expect(JSON.parse((await stream.next()).body)).toMatchObject({ type, data })
    }
  })

  test('409 conflict if the caller has no open stream, whoever else has', async () => {
    const tenant = await api.makeTenant()
    await begin((await tenant.makeKey()).token)
    const { token } = await tenant.makeKey()
    expect(refusalOf(await trigger(token, { type: 'site.created' }))).toEqual({
      status: 409,
      code: 'conflict',
    })
  })

  test.each([
    [{}, '/type'],
    [{ type: 'site.moved' }, '/type'],
    [{ type: 'webhook.ping' }, '/type'],
    [{ type: 'invoice.ready' }, '/type'],
    [{ type: 'site.created', data: 'x' }, '/data'],
    [{ type: 'site.created', data: { primary_domain: '' } }, '/data/primary_domain'],
    [{ type: 'site.created', data: { zone: 'example.com' } }, '/data/zone'],
    [{ type: 'backup.failed', data: { will_retry: 'true' } }, '/data/will_retry'],
    [{ type: 'site.created', data: { object_type: 'zone' } }, '/data/object_type'],
  ])('422 for %j, and nothing is sent', async (body, pointer) => {
    const { token } = await (await api.makeTenant()).makeKey()
    const stream = await begin(token)
    expect(refusalOf(await trigger(token, body))).toEqual(invalid(pointer))
    await trigger(token, { type: 'account.created' })
    expect((await stream.next()).headers['Service-Event']).toBe('account.created')
  })
})
