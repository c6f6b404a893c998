import { createSecretsStore } from '@hosting/core/secrets-store'
import { signingSecretContext } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { managesWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { auditOf, makeWebhook, url } from '../support/webhooks.ts'

const api = useApi({ WEBHOOK_ALLOWED_NETWORKS: '' })
const request = { verb: 'post', path: '/webhooks', body: { url, events: ['*'] } } as const

testAccess(api, request, managesWebhooks)
testSecretsStore(request)

const create = (token: string, body: unknown) => api.call('post', '/webhooks', { token, body })

describe('POST /webhooks', () => {
  test('201 returns the endpoint with its defaults, and the secret', async () => {
    const { token } = await api.makeAdmin()
    const before = Date.now()
    const { status, body } = await create(token, { url, events: ['site.*', 'backup.failed'] })
    expect(status).toBe(201)
    expect(body).toEqual({
      webhook: {
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        url,
        events: ['site.*', 'backup.failed'],
        description: null,
        enabled: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: body.webhook.created_at,
        disabled_at: null,
        secret_rotated_at: null,
        previous_secret_expires_at: null,
        last_success_at: null,
        last_failure_at: null,
        waiting_deliveries: 0,
        disabled_reason: null,
        rate_limit_per_second: null,
        disable_after_failing_hours: null,
        health: {
          state: 'unknown',
          failing_since: null,
          consecutive_failures: 0,
          last_status_code: null,
          last_error_class: null,
          failure_rate: null,
          failure_rate_24h: null,
        },
        header_names: [],
        standard_webhooks: false,
        external_id: null,
        accounts: null,
      },
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    expect(Date.parse(body.webhook.created_at)).toBeGreaterThanOrEqual(before)
  })

  test('201 stores every member, and an endpoint can be created disabled', async () => {
    const { token } = await api.makeAdmin()
    const given = { url, events: ['*'], description: 'é'.repeat(200), enabled: false }
    const { status, body } = await create(token, given)
    expect(status).toBe(201)
    expect(body.webhook).toMatchObject(given)
    expect(body.webhook.disabled_at).toBe(body.webhook.created_at)
  })

  test('201 treats a null description as none', async () => {
    const { token } = await api.makeAdmin()
    const { body } = await create(token, { url, events: ['*'], description: null })
    expect(body.webhook.description).toBeNull()
  })

  test('201 accepts every kind of pattern, including the reserved type', async () => {
    const { token } = await api.makeAdmin()
    const events = ['*', 'invoice.*', 'invoice.ready', 'dns.*', 'dns.records_changed']
    expect((await create(token, { url, events })).body.webhook.events).toEqual(events)
  })

  test('only this response contains the secret, which is stored encrypted', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { webhook, secret } = (await create(token, request.body)).body
    const rows = await api.database.prisma.webhookSecret.findMany({
      where: { endpointId: webhook.id },
    })
    expect(rows).toHaveLength(1)
    const { id, encrypted, expiresAt } = rows[0]!
    expect(expiresAt).toBeNull()
    expect(encrypted).not.toContain(secret.slice('whsec_'.length))
    const store = createSecretsStore([{ id: 'test', key: Buffer.alloc(32, 7) }])
    expect(store.decrypt(encrypted, signingSecretContext(id))).toBe(secret)

    const shown = await Promise.all(
      ['/webhooks', `/webhooks/${webhook.id}`].map((path) => api.call('get', path, { token })),
    )
    for (const { text } of shown) expect(text).not.toContain('whsec_')
    expect(JSON.stringify(await auditOf(api, tenant.id))).not.toContain('whsec_')
  })

  test('every endpoint has its own secret', async () => {
    const { token } = await api.makeAdmin()
    const secrets = [await create(token, request.body), await create(token, request.body)]
    expect(new Set(secrets.map(({ body }) => body.secret)).size).toBe(2)
  })

  test('the audit log names who created it, from where and with which request', async () => {
    const { token, admin: key, tenant } = await api.makeAdmin()
    const body = { url, events: ['site.*'], enabled: false }
    const headers = { 'x-request-id': 'creation-1' }
    const response = await api.call('post', '/webhooks', { token, body, headers })
    expect(await auditOf(api, tenant.id)).toEqual([
      expect.objectContaining({
        action: 'webhook.create',
        outcome: 'success',
        reason: null,
        actorType: 'user',
        actorId: key.userId,
        actorName: 'Ana',
        actorKeyId: key.id,
        targetType: 'webhook',
        targetId: response.body.webhook.id,
        ip: '127.0.0.1',
        requestId: 'creation-1',
        details: expect.objectContaining(body),
      }),
    ])
  })
})

describe('POST /webhooks: invalid bodies', () => {
  const manyPatterns = Array.from({ length: 101 }, (_, index) => `site.p${index}`)

  test.each<[what: string, body: unknown, pointers: string[]]>([
    ['no body', undefined, ['']],
    ['null', 'null', ['']],
    ['a list', [], ['']],
    ['a text', '"text"', ['']],
    ['no member', {}, ['/url', '/events']],
    ['no url', { events: ['*'] }, ['/url']],
    ['a url of null', { url: null, events: ['*'] }, ['/url']],
    ['a url that is a number', { url: 1, events: ['*'] }, ['/url']],
    ['no events', { url }, ['/events']],
    ['events of null', { url, events: null }, ['/events']],
    ['events that are a text', { url, events: '*' }, ['/events']],
    ['events that are empty', { url, events: [] }, ['/events']],
    ['a pattern that is a number', { url, events: ['*', 1] }, ['/events/1']],
    ['an empty pattern', { url, events: [''] }, ['/events/0']],
    ['an unknown type', { url, events: ['site.*', 'site.moved'] }, ['/events/1']],
    ['an unknown resource', { url, events: ['mail.*'] }, ['/events/0']],
    ['a partial type', { url, events: ['site'] }, ['/events/0']],
    ['an inner wildcard', { url, events: ['*.created'] }, ['/events/0']],
    ['a pattern in capitals', { url, events: ['SITE.*'] }, ['/events/0']],
    ['a pattern with white space', { url, events: [' *'] }, ['/events/0']],
    ['the ping', { url, events: ['webhook.ping'] }, ['/events/0']],
    ['every ping', { url, events: ['webhook.*'] }, ['/events/0']],
    ['a repeated pattern', { url, events: ['*', 'site.*', '*'] }, ['/events']],
    [
      'a description of 201 characters',
      { ...request.body, description: 'a'.repeat(201) },
      ['/description'],
    ],
    ['an empty description', { ...request.body, description: '' }, ['/description']],
    ['an invisible description', { ...request.body, description: '\u2800' }, ['/description']],
    [
      'a description with a tag character',
      { ...request.body, description: 'a\u{E0041}' },
      ['/description'],
    ],
    ['a description that is a number', { ...request.body, description: 5 }, ['/description']],
    ['enabled of null', { ...request.body, enabled: null }, ['/enabled']],
    ['enabled as a text', { ...request.body, enabled: 'true' }, ['/enabled']],
    ['an unknown member', { ...request.body, secret: 'whsec_mine' }, ['/secret']],
    ['a member of the record', { ...request.body, id: 'x' }, ['/id']],
    [
      'a member named __proto__',
      '{"url":"https://a.example","events":["*"],"__proto__":{}}',
      ['/__proto__'],
    ],
    ['a member with a slash and a tilde', { ...request.body, 'a/b~c': 1 }, ['/a~1b~0c']],
    ['a url with a NUL character', { url: `${url}/\0`, events: ['*'] }, ['/url']],
    ['a url with half a surrogate pair', { url: `${url}/\udc00`, events: ['*'] }, ['/url']],
    ['a NUL character', { ...request.body, description: 'a\0b' }, ['/description']],
    ['half a surrogate pair', { ...request.body, description: 'a\ud800b' }, ['/description']],
    [
      'several errors',
      { events: ['nope'], enabled: 1, more: 1 },
      ['/url', '/more', '/events/0', '/enabled'],
    ],
  ])('422 validation_failed names the invalid members: %s', async (_what, body, pointers) => {
    const { token, tenant } = await api.makeAdmin()
    const response = await api.call('post', '/webhooks', {
      token,
      body,
      headers: { 'content-type': 'application/json' },
    })
    const { status, code, pointers: named } = refusalOf(response)
    expect({ status, code, pointers: named?.toSorted() }).toEqual(invalid(...pointers.toSorted()))
    expect(
      await api.database.prisma.webhookEndpoint.count({ where: { tenantId: tenant.id } }),
    ).toBe(0)
    expect(await auditOf(api, tenant.id)).toEqual([])
  })

  test('422 for more than 100 patterns', async () => {
    const { token } = await api.makeAdmin()
    const { status, pointers } = refusalOf(await create(token, { url, events: manyPatterns }))
    expect(status).toBe(422)
    expect(pointers).toContain('/events')
  })
})

describe('POST /webhooks: limit of 20 endpoints', () => {
  test('409 webhook_limit_reached for the 21st, until one is deleted', async () => {
    const { token, tenant } = await api.makeAdmin()
    const made = []
    for (let number = 1; number <= 20; number++) made.push(await makeWebhook(api, token))
    expect(refusalOf(await create(token, request.body))).toEqual({
      status: 409,
      code: 'webhook_limit_reached',
    })
    expect(await auditOf(api, tenant.id)).toHaveLength(20)

    const other = await api.makeAdmin()
    expect((await create(other.token, request.body)).status).toBe(201)

    await api.call('delete', `/webhooks/${made[7]!.id}`, { token })
    expect((await create(token, request.body)).status).toBe(201)
    expect((await create(token, request.body)).status).toBe(409)
  })

  test('20 of 30 concurrent requests create an endpoint and 10 get webhook_limit_reached', async () => {
    const { token, tenant } = await api.makeAdmin()
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => create(token, request.body)),
    )
    const made = responses.filter(({ status }) => status === 201)
    const refused = responses.filter(({ body }) => body.code === 'webhook_limit_reached')
    expect({ made: made.length, refused: refused.length }).toEqual({ made: 20, refused: 10 })
    const where = { tenantId: tenant.id }
    expect(await api.database.prisma.webhookEndpoint.count({ where })).toBe(20)
    expect(await auditOf(api, tenant.id)).toHaveLength(20)
  })
})
