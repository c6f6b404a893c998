import { describe, expect, test } from '@jest/globals'
import { isPublishable } from '@hosting/core/webhooks'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess } from '../support/access.ts'
import { leastData } from '../support/events.ts'

const api = useApi()

testAccess(api, { verb: 'get', path: '/webhooks/event-types' }, readsWebhooks)

interface EventTypeItem {
  readonly type: string
  readonly resource: string
  readonly description: string
  readonly deprecated: boolean
  readonly reserved: boolean
  readonly schema: Record<string, unknown>
  readonly example: Record<string, unknown> | null
}

async function listEventTypes(): Promise<EventTypeItem[]> {
  const { token } = await (await api.makeTenant()).makeKey()
  const { status, body } = await api.call('get', '/webhooks/event-types', { token })
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['items'])
  return body.items as EventTypeItem[]
}

describe('GET /webhooks/event-types', () => {
  test("200 lists the types of the specification's table in its order, and those of the service itself", async () => {
    expect((await listEventTypes()).map(({ type }) => type)).toEqual([
      'server.enrolled',
      'server.revoked',
      'account.created',
      'account.updated',
      'account.deleted',
      'site.created',
      'site.updated',
      'site.tls_updated',
      'site.deleted',
      'backup.completed',
      'backup.failed',
      'backup.restored',
      'dns.zone_created',
      'dns.zone_deleted',
      'dns.records_changed',
      'database.created',
      'database.deleted',
      'job.succeeded',
      'job.failed',
      'alert.firing',
      'alert.resolved',
      'endpoint.failing',
      'endpoint.recovered',
      'endpoint.disabled',
      'api_key.expiring',
      'api_key.created',
      'api_key.revoked',
      'invoice.ready',
      'webhook.ping',
    ])
  })

  test('each type has its resource, its meaning and whether it is reserved', async () => {
    const items = await listEventTypes()
    for (const { type, resource, description, deprecated } of items) {
      expect(resource).toBe(type.split('.')[0])
      expect(description).toMatch(/^[A-Z].*\.$/)
      expect(deprecated).toBe(false)
    }
    expect(items.filter(({ reserved }) => reserved).map(({ type }) => type)).toEqual([
      'invoice.ready',
    ])
  })

  test('each schema is the one that published events are validated against', async () => {
    const ajv = new Ajv2020()
    for (const { type, schema } of await listEventTypes()) {
      const fits = ajv.compile(schema)
      const data = leastData[type]
      expect({ type, fits: !isPublishable(type) || fits(data) }).toEqual({ type, fits: true })
      expect({ type, fits: fits({ ...data, email: 'ana@example.com' }) }).toEqual({
        type,
        fits: false,
      })
    }
  })

  test('each example matches its schema, and its ids are marked as examples', async () => {
    const ajv = new Ajv2020()
    const items = await listEventTypes()
    expect(items.filter(({ example }) => example === null).map(({ type }) => type)).toEqual([
      'invoice.ready',
    ])
    for (const { type, schema, example } of items.filter(({ reserved }) => !reserved)) {
      expect({ type, fits: ajv.compile(schema)(example) }).toEqual({ type, fits: true })
      expect(example!['object_id']).toMatch(/^example-/)
      expect(example!['account_id'] ?? 'example-').toMatch(/^example-/)
    }
  })

  test('200 even without a secrets store', async () => {
    const { token } = await (await withoutStore.makeTenant()).makeKey()
    expect((await withoutStore.call('get', '/webhooks/event-types', { token })).status).toBe(200)
  })
})

const withoutStore = useApi({ SECRETS_KEYRING: '' })
