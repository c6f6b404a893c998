import { auditActions, type AuditAction } from '@hosting/core/audit'
import { createUuidv7 } from '@hosting/core/ids'
import { appendAuditEvent } from '@hosting/postgres/audit'
import { expect, test } from '@jest/globals'
import { useApi, type TestTenant } from '../support/api.ts'
import { makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })

interface Written {
  readonly action: AuditAction
  readonly details?: Record<string, unknown>
  readonly reason?: string
}

const write = (tenant: TestTenant, { action, details = {}, reason }: Written): Promise<void> =>
  appendAuditEvent(api.database.prisma, {
    tenantId: tenant.id,
    action,
    outcome: reason === undefined ? 'success' : 'refused',
    ...(reason !== undefined && { reason }),
    actor: { type: 'user', id: createUuidv7(), name: 'Ana', keyId: null },
    target: { type: 'webhook', id: 'the-target' },
    ip: null,
    requestId: null,
    details: details as never,
  })

/** The sentences of an organization's audit log, newest first. */
async function sentencesOf(tenant: TestTenant): Promise<string[]> {
  const session = await makeSignedIn(api, tenant)
  const { text } = await visitorOf(api, session).get('/audit?target_id=the-target')
  return [...text.matchAll(/ class="lead">(.*?)<\/td>/gs)].map(([, cell]) =>
    cell!
      .replaceAll(/<span class="(visually-hidden|badge|under)[^>]*>.*?<\/span>/g, '')
      .replaceAll(/<[^>]+>/g, '')
      .trimEnd(),
  )
}

test.each<[string, Written, string]>([
  [
    'one change',
    {
      action: 'webhook.update',
      details: { before: { events: ['*'] }, after: { events: ['site.*'] } },
    },
    'Ana changed the events of the-target: * → site.*',
  ],
  [
    'several changes',
    {
      action: 'api_key.update',
      details: {
        before: { name: 'A', ip_allowlist: null },
        after: { name: 'B', ip_allowlist: ['10.0.0.0/8'] },
      },
    },
    'Ana changed the-target: name A → B; allowed IP addresses none → 10.0.0.0/8',
  ],
  [
    'an entry of all members, of an older version',
    {
      action: 'api_key.update',
      details: { before: { name: 'A', enabled: true }, after: { name: 'A', enabled: false } },
    },
    'Ana disabled the-target',
  ],
  [
    'an entry without the values before, of an older version',
    { action: 'webhook.update', details: { events: ['dns.*'] } },
    'Ana changed the events of the-target: → dns.*',
  ],
  [
    'new values of custom headers, which are secret',
    { action: 'webhook.update', details: { before: {}, after: {}, headers_replaced: true } },
    'Ana changed the custom headers of the-target',
  ],
  [
    'a long list',
    {
      action: 'webhook.update',
      details: { before: { events: ['a', 'b', 'c', 'd', 'e'] }, after: { events: [] } },
    },
    'Ana changed the events of the-target: a, b, c and 2 more → none',
  ],
  [
    'a refusal',
    {
      action: 'api_key.refuse',
      reason: 'insufficient_scope',
      details: { route: 'webhooks.list', scope: 'webhooks:read', repeated: 41 },
    },
    'A request with the-target to webhooks.list was refused without the scope webhooks:read, 41 times more',
  ],
  [
    'an impersonation',
    { action: 'webhook.ping', details: { impersonated_by: { id: 'x', name: 'Sam' } } },
    'Sam as Ana sent a ping to the-target',
  ],
  [
    'a rotation',
    { action: 'api_key.rotate', details: { grace_seconds: 3_600 } },
    'Ana rotated the key the-target. The previous token stays valid for 1 h.',
  ],
])('the sentence of %s', async (_name, written, sentence) => {
  const tenant = await api.makeTenant()
  await write(tenant, written)
  expect(await sentencesOf(tenant)).toEqual([sentence])
})

test('every action has a sentence, also without details', async () => {
  const tenant = await api.makeTenant()
  for (const action of auditActions) await write(tenant, { action })
  const sentences = await sentencesOf(tenant)
  expect(sentences).toHaveLength(auditActions.length)
  expect(sentences.filter((text) => /undefined|null|object Object|\bdid\b/.test(text))).toEqual([])
  expect(new Set(sentences).size).toBeGreaterThan(auditActions.length - 5)
})
