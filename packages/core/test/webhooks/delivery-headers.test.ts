import { describe, expect, test } from '@jest/globals'
import { deliveryHeaders } from '../../src/webhooks/delivery-headers.ts'
import { signatureHeader, standardWebhooksHeaders } from '../../src/webhooks/signature.ts'

const body = '{"id":"evt","data":{"primary_domain":"bücher.example"}}'
const secrets = ['whsec_new', 'whsec_old']

test('the headers are exactly those of the specification', () => {
  const headers = deliveryHeaders({
    body,
    secrets,
    deliveryId: '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    eventType: 'site.created',
    unixSeconds: 1_764_000_000,
  })
  expect(headers).toEqual({
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1',
    'Service-Event': 'site.created',
    'Service-Delivery': '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    'Service-Timestamp': '1764000000',
    'Service-Signature': signatureHeader(Buffer.from(body, 'utf8'), secrets, 1_764_000_000),
  })
})

test('the prefix and the user agent are configurable', () => {
  const headers = deliveryHeaders({
    body,
    secrets,
    deliveryId: 'd',
    eventType: 'site.created',
    unixSeconds: 1,
    naming: { webhookHeaderPrefix: 'Acme-Hosting', webhookUserAgent: 'Acme-Webhooks/1' },
  })
  expect(Object.keys(headers)).toEqual([
    'Content-Type',
    'User-Agent',
    ...['Event', 'Delivery', 'Timestamp', 'Signature'].map((name) => `Acme-Hosting-${name}`),
  ])
  expect(headers['User-Agent']).toBe('Acme-Webhooks/1')
})

test('the timestamp header has the time of the signature', () => {
  const part = { body, secrets, deliveryId: 'd', eventType: 'site.created' }
  for (const unixSeconds of [0, 1, 1_764_000_000]) {
    const headers = deliveryHeaders({ ...part, unixSeconds })
    expect(headers['Service-Signature']).toMatch(new RegExp(`^t=${headers['Service-Timestamp']},`))
  }
})

describe('an endpoint with additional headers', () => {
  const part = { body, secrets, deliveryId: 'd', eventType: 'site.created', unixSeconds: 7 }
  const own = deliveryHeaders(part)

  test('Standard Webhooks adds its three headers, with the same time', () => {
    const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const standard = standardWebhooksHeaders({ body, eventId: 'evt', unixSeconds: 7, keys })
    expect(deliveryHeaders({ ...part, standard: { eventId: 'evt', keys } })).toEqual({
      ...own,
      ...standard,
    })
  })

  test('Standard Webhooks headers are absent without a secret that can sign them', () => {
    expect(deliveryHeaders({ ...part, standard: { eventId: 'evt', keys: [] } })).toEqual(own)
  })

  test('custom headers are added, and never replace one of the service', () => {
    const custom = { 'X-Env': 'test', 'service-event': 'forged', 'CONTENT-TYPE': 'text/plain' }
    expect(deliveryHeaders({ ...part, custom })).toEqual({ 'X-Env': 'test', ...own })
  })
})
