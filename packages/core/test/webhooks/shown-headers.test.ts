import { expect, test } from '@jest/globals'
import { deliveryHeaders, shownAttemptHeaders } from '../../src/webhooks/delivery-headers.ts'

const delivery = { deliveryId: '0199f2d4-31b5-7c60-8a55-6d1f0e2c9b47', eventType: 'site.created' }
const startedAt = new Date('2026-11-22T22:45:13.120Z')

test('shows the headers of the request, with signatures and custom values hidden', () => {
  expect(shownAttemptHeaders({ ...delivery, startedAt, customNames: ['authorization'] })).toEqual([
    { name: 'Content-Type', value: 'application/json' },
    { name: 'User-Agent', value: 'Service-Webhooks/1' },
    { name: 'Service-Event', value: 'site.created' },
    { name: 'Service-Delivery', value: delivery.deliveryId },
    { name: 'Service-Timestamp', value: String(startedAt.getTime() / 1_000).slice(0, 10) },
    { name: 'Service-Signature', value: undefined },
    { name: 'authorization', value: undefined },
  ])
})

test('shows every header that is sent', () => {
  const sent = deliveryHeaders({ ...delivery, body: '{}', secrets: ['whsec_x'], unixSeconds: 1 })
  const shown = shownAttemptHeaders({ ...delivery, startedAt })
  expect(shown.map(({ name }) => name)).toEqual(Object.keys(sent))
})

test('shows the headers of Standard Webhooks with a hidden signature', () => {
  const shown = shownAttemptHeaders({ ...delivery, startedAt, standardEventId: 'event-1' })
  expect(shown).toContainEqual({ name: 'webhook-id', value: 'event-1' })
  expect(shown).toContainEqual({ name: 'webhook-signature', value: undefined })
})

test('shows the configured names', () => {
  const naming = { webhookHeaderPrefix: 'Acme', webhookUserAgent: 'Acme/1' }
  const shown = shownAttemptHeaders({ ...delivery, startedAt, naming })
  expect(shown).toContainEqual({ name: 'User-Agent', value: 'Acme/1' })
  expect(shown).toContainEqual({ name: 'Acme-Event', value: 'site.created' })
})
