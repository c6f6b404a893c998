import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { TestApi } from '../../../../test/support/api.ts'
import { lastFailure, makeAttempts } from './attempts.ts'
import { makeSubscriber } from './delivery-list.ts'
import { publish } from './events.ts'
import { notFound, refusalOf } from './refusals.ts'
import { testServiceAccess } from './service-access.ts'
import { makeWebhook } from './webhooks.ts'

/** An organization with two endpoints and deliveries of two events, of which one is dead. */
async function makeBusyTenant(api: TestApi) {
  const { tenant, token, webhookId } = await makeSubscriber(api)
  const { deliveryIds } = await publish(api, tenant.id)
  await makeAttempts(api, deliveryIds[0]!, [lastFailure])
  await makeWebhook(api, token, { enabled: false })
  await publish(api, tenant.id)
  return { tenant, token, webhookId }
}

/** The tests of a view of one organization: it is what the organization's own list shows. */
export function testTenantView(
  api: TestApi,
  { list, queries }: { list: string; queries: readonly string[] },
): void {
  const view = (id: string, query = '') => api.callInternal('get', `/tenants/${id}/${list}${query}`)

  testServiceAccess(api, { verb: 'get', path: `/tenants/${randomUUID()}/${list}` })

  describe(`GET /tenants/{id}/${list}`, () => {
    test("200 returns the organization's own view, with the same filters and refusals", async () => {
      const { tenant, token, webhookId } = await makeBusyTenant(api)
      await makeBusyTenant(api)
      for (const query of ['', ...queries]) {
        const filter = query.replace('WEBHOOK', webhookId)
        const own = await api.call('get', `/${list}${filter}`, { token })
        const seen = await view(tenant.id, filter)
        expect({
          filter,
          status: seen.status,
          items: seen.body.items,
          error: seen.body.errors,
        }).toEqual({
          filter,
          status: own.status,
          items: own.body.items,
          error: own.body.errors,
        })
      }
    })

    test("pages continue with the organization's cursor", async () => {
      const { tenant, token } = await makeBusyTenant(api)
      const first = (await view(tenant.id, '?limit=1')).body
      const own = (await api.call('get', `/${list}?limit=1`, { token })).body
      expect(first).toEqual(own)
      const second = (await view(tenant.id, `?limit=1&cursor=${first.next_cursor}`)).body
      expect(second.items[0].id < first.items[0].id).toBe(true)
    })

    test("reading does not use the organization's rate limit", async () => {
      const { tenant, token } = await makeBusyTenant(api)
      const before = await api.call('get', '/auth/me', { token })
      await view(tenant.id)
      const after = await api.call('get', '/auth/me', { token })
      const left = ({ headers }: typeof before) => Number(/r=(\d+)/.exec(headers['ratelimit']!)![1])
      expect(left(after)).toBe(left(before) - 1)
    })

    test('404 for an unknown or deleted organization and for an invalid id', async () => {
      const { id } = await api.makeTenant()
      await api.callInternal('delete', `/tenants/${id}`)
      for (const unknown of [id, randomUUID(), 'acme']) {
        expect(refusalOf(await view(unknown))).toEqual(notFound)
      }
    })
  })
}
