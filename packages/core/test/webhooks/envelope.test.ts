import { describe, expect, test } from '@jest/globals'
import { freezeEnvelope } from '../../src/webhooks/event.ts'

const envelope = {
  id: '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
  type: 'site.created',
  created_at: '2026-11-20T12:00:00.123Z',
  tenant_id: '0a0a0a0a-0b0b-4c0c-8d0d-0e0e0e0e0e0e',
  data: {
    object_type: 'site',
    object_id: '7',
    account_id: 'a',
    primary_domain: 'bücher.example',
  },
}

const text =
  '{"id":"017f22e2-79b0-7cc3-98c4-dc0c0c07398f","type":"site.created",' +
  '"created_at":"2026-11-20T12:00:00.123Z","tenant_id":"0a0a0a0a-0b0b-4c0c-8d0d-0e0e0e0e0e0e",' +
  '"data":{"object_type":"site","object_id":"7","account_id":"a","primary_domain":"bücher.example"}}'

describe('the frozen envelope', () => {
  test('is exactly these bytes', () => expect(freezeEnvelope(envelope)).toBe(text))

  test('has its members in the order of the specification', () => {
    const { data, tenant_id, created_at, type, id } = envelope
    expect(freezeEnvelope({ data, tenant_id, created_at, type, id })).toBe(text)
  })

  test('has no other members', () => {
    const more = { ...envelope, secret: 'whsec_x', deliveries: 3 }
    expect(freezeEnvelope(more)).toBe(text)
  })

  test('parses to the same envelope', () => {
    expect(JSON.parse(freezeEnvelope(envelope))).toEqual(envelope)
  })

  test('is the same bytes after parsing and serializing again', () => {
    expect(freezeEnvelope(JSON.parse(text))).toBe(text)
  })
})
