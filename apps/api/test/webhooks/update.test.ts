import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { managesWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, makeAttempts } from '../support/attempts.ts'
import { publish } from '../support/events.ts'
import { nextMillisecond } from '../support/moments.ts'
import { invalid, notFound, refusalOf } from '../support/refusals.ts'
import { auditOf, makeWebhook, url } from '../support/webhooks.ts'

const api = useApi({ WEBHOOK_ALLOWED_NETWORKS: '' })
const request = { verb: 'patch', path: `/webhooks/${randomUUID()}`, body: {} } as const

testAccess(api, request, managesWebhooks)
testSecretsStore(request)

const update = (token: string, id: string, body: unknown) =>
  api.call('patch', `/webhooks/${id}`, { token, body })

const show = async (token: string, id: string) =>
  (await api.call('get', `/webhooks/${id}`, { token })).body.webhook

const statusOf = async (token: string, id: string) =>
  (await api.call('get', `/webhook-deliveries/${id}`, { token })).body.delivery.status

describe('PATCH /webhooks/{id}', () => {
  test.each([
    { url: 'https://other.example.com/in' },
    { events: ['dns.*', 'job.failed'] },
    { description: 'Second' },
    { description: null },
  ])('200 changes %j and nothing else', async (change) => {
    const { token } = await api.makeAdmin()
    const webhook = await makeWebhook(api, token, { description: 'First' })
    await nextMillisecond()
    const { status, body } = await update(token, webhook.id, change)
    expect(status).toBe(200)
    const expected = { ...webhook, ...change, updated_at: body.webhook.updated_at }
    expect(body).toEqual({ webhook: expected })
    expect(Date.parse(body.webhook.updated_at)).toBeGreaterThan(Date.parse(webhook.updated_at))
    expect(await show(token, webhook.id)).toEqual(expected)
  })

  test('200 changes all members in one request', async () => {
    const { token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const change = { url: 'https://b.example', events: ['*'], description: 'B', enabled: false }
    expect((await update(token, id, change)).body.webhook).toMatchObject(change)
  })

  test('200 changes nothing if the body is empty', async () => {
    const { token } = await api.makeAdmin()
    const webhook = await makeWebhook(api, token, { description: 'First' })
    const { body } = await update(token, webhook.id, {})
    expect(body.webhook).toEqual({ ...webhook, updated_at: body.webhook.updated_at })
  })

  test('disabling sets disabled_at, repeating it changes nothing, and enabling clears it', async () => {
    const { token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const before = Date.now()
    const disabled = (await update(token, id, { enabled: false })).body.webhook
    expect(disabled.enabled).toBe(false)
    expect(Date.parse(disabled.disabled_at)).toBeGreaterThanOrEqual(before)
    const again = (await update(token, id, { enabled: false })).body.webhook
    expect(again.disabled_at).toBe(disabled.disabled_at)
    const enabled = (await update(token, id, { enabled: true })).body.webhook
    expect(enabled).toMatchObject({ enabled: true, disabled_at: null })
  })

  test('deliveries of a disabled endpoint wait, and continue where they stopped when it is enabled', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const fresh = (await publish(api, tenant.id)).deliveryIds[0]!
    const retried = (await publish(api, tenant.id)).deliveryIds[0]!
    await makeAttempts(api, retried, [failure])

    await update(token, id, { enabled: false })
    expect(await statusOf(token, fresh)).toBe('waiting_endpoint')
    expect(await statusOf(token, retried)).toBe('waiting_endpoint')
    const later = (await publish(api, tenant.id)).deliveryIds[0]!
    expect(await statusOf(token, later)).toBe('waiting_endpoint')
    expect((await show(token, id)).waiting_deliveries).toBe(3)

    await update(token, id, { enabled: true })
    expect(await statusOf(token, fresh)).toBe('queued')
    expect(await statusOf(token, retried)).toBe('waiting_retry')
    expect(await statusOf(token, later)).toBe('queued')
  })

  test('changed patterns apply to the next event', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token, { events: ['site.*'] })
    await update(token, id, { events: ['dns.*'] })
    expect((await publish(api, tenant.id, { type: 'site.created' })).deliveryIds).toHaveLength(0)
    expect((await publish(api, tenant.id, { type: 'dns.zone_created' })).deliveryIds).toHaveLength(
      1,
    )
  })

  test('the secret does not change', async () => {
    const { token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const secrets = () => api.database.prisma.webhookSecret.findMany({ where: { endpointId: id } })
    const before = await secrets()
    await update(token, id, { url: 'https://other.example.com', enabled: false })
    expect(await secrets()).toEqual(before)
  })

  test('the audit log shows the change, and who made it', async () => {
    const { token, admin: key, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    await update(token, id, { description: 'Second', enabled: false })
    expect((await auditOf(api, tenant.id)).slice(1)).toEqual([
      expect.objectContaining({
        action: 'webhook.update',
        outcome: 'success',
        actorId: key.userId,
        actorKeyId: key.id,
        targetType: 'webhook',
        targetId: id,
        details: {
          name: 'Second',
          before: { description: null, enabled: true },
          after: { description: 'Second', enabled: false },
        },
      }),
    ])
  })

  test('concurrent changes of different members are all kept', async () => {
    const { token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const changes = [
      { url: 'https://b.example' },
      { events: ['dns.*'] },
      { description: 'B' },
      { enabled: false },
    ]
    const responses = await Promise.all(changes.map((change) => update(token, id, change)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await show(token, id)).toMatchObject(Object.assign({}, ...changes))
  })
})

describe('PATCH /webhooks/{id}: invalid bodies', () => {
  test.each<[what: string, body: unknown, pointers: string[]]>([
    ['no body', undefined, ['']],
    ['null', 'null', ['']],
    ['a list', [], ['']],
    ['a url of null', { url: null }, ['/url']],
    ['a url that is a number', { url: 1 }, ['/url']],
    ['events of null', { events: null }, ['/events']],
    ['events that are empty', { events: [] }, ['/events']],
    ['an unknown pattern', { events: ['*', 'mail.*'] }, ['/events/1']],
    ['the ping', { events: ['webhook.ping'] }, ['/events/0']],
    ['a repeated pattern', { events: ['*', '*'] }, ['/events']],
    ['a description of 201 characters', { description: 'a'.repeat(201) }, ['/description']],
    ['a description that is a list', { description: [] }, ['/description']],
    ['enabled of null', { enabled: null }, ['/enabled']],
    ['enabled as a number', { enabled: 1 }, ['/enabled']],
    ['an unknown member', { secret: 'whsec_mine' }, ['/secret']],
    ['a member that cannot change', { id: randomUUID() }, ['/id']],
    ['a NUL character', { description: '\0' }, ['/description']],
    ['half a surrogate pair', { description: '\udfff' }, ['/description']],
    ['a good and a bad member', { description: 'Second', enabled: 'no' }, ['/enabled']],
  ])('422 validation_failed names the invalid members: %s', async (_what, body, pointers) => {
    const { token, tenant } = await api.makeAdmin()
    const webhook = await makeWebhook(api, token)
    const headers = { 'content-type': 'application/json' }
    const response = await api.call('patch', `/webhooks/${webhook.id}`, { token, body, headers })
    expect(refusalOf(response)).toEqual(invalid(...pointers))
    expect(await show(token, webhook.id)).toEqual(webhook)
    expect(await auditOf(api, tenant.id)).toHaveLength(1)
  })

  test.each(['http://example.com', 'https://10.0.0.1/', 'https://localhost', 'nonsense'])(
    '422 webhook_url_not_allowed for %s changes nothing',
    async (refused) => {
      const { token, tenant } = await api.makeAdmin()
      const webhook = await makeWebhook(api, token)
      const response = await update(token, webhook.id, { url: refused, description: 'Second' })
      expect(refusalOf(response)).toEqual({
        status: 422,
        code: 'webhook_url_not_allowed',
        pointers: ['/url'],
      })
      expect(await show(token, webhook.id)).toEqual(webhook)
      expect(await auditOf(api, tenant.id)).toHaveLength(1)
    },
  )
})

describe('PATCH /webhooks/{id}: not found', () => {
  test("404 is the same for a missing endpoint, a deleted one, another organization's and an invalid id", async () => {
    const { token, tenant } = await api.makeAdmin()
    const deleted = await makeWebhook(api, token)
    await api.call('delete', `/webhooks/${deleted.id}`, { token })
    const stranger = await api.makeAdmin()
    const foreign = await makeWebhook(api, stranger.token)
    for (const id of [randomUUID(), deleted.id, foreign.id, 'nonsense']) {
      expect(refusalOf(await update(token, id, { url }))).toEqual(notFound)
    }
    expect(await show(stranger.token, foreign.id)).toEqual(foreign)
    expect((await auditOf(api, tenant.id)).map(({ action }) => action)).not.toContain(
      'webhook.update',
    )
    expect(await auditOf(api, stranger.tenant.id)).toHaveLength(1)
  })
})
