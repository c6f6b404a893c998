import { appendAuditEvent } from '@hosting/postgres/audit'
import type { TestTenant } from '../support/api.ts'
import type { callWith } from '../support/session.ts'
import type { Stack } from '../support/stack.ts'
import type { ScreenGroup, Ways } from './ways.ts'

/** Creates a workload key for GitHub, with exchanges. Returns its id. */
export async function furnishWorkloadKey(
  { database }: Stack,
  { tenant, call }: { tenant: TestTenant; call: ReturnType<typeof callWith> },
): Promise<string> {
  const issuer = 'https://token.actions.githubusercontent.com'
  const conditions = { repository_id: '1296269', ref: ['refs/heads/main', 'refs/heads/release/*'] }
  const { body } = await call('post', '/api-keys', {
    body: {
      name: 'Deploy the site',
      kind: 'organization',
      scopes: ['sites:write'],
      workload: { issuer, conditions },
    },
  })
  const { id, user } = body.key as { id: string; user: { id: string; name: string } }
  const add = (subject: string, cause?: string): Promise<void> =>
    appendAuditEvent(database.prisma, {
      tenantId: tenant.id,
      action: 'api_key.exchange',
      outcome: cause === undefined ? 'success' : 'refused',
      ...(cause !== undefined && { reason: 'invalid_grant' }),
      actor:
        cause === undefined
          ? { type: 'service_user', ...user, keyId: id }
          : { type: 'anonymous', id: null, name: null, keyId: null },
      target: { type: 'api_key', id },
      ip: '203.0.113.7',
      requestId: null,
      details: { issuer, subject, ...(cause !== undefined && { cause }) },
    })
  await add('repo:bakery-kovac/online-shop-with-a-long-name:ref:refs/heads/main')
  await add('repo:bakery-kovac/online-shop-with-a-long-name:pull_request', 'conditions')
  await add('repo:bakery-kovac/online-shop-with-a-long-name:ref:refs/heads/release/24')
  return id
}

/** The pages of workload keys. */
export const workloadScreens = (
  { open, submit }: Ways,
  workloadKey: string,
): ScreenGroup['screens'] => ({
  'workload-key': open(`/keys/${workloadKey}`),
  'workload-key-new-github': open('/keys/new/workload'),
  'workload-key-new-gitlab': open('/keys/new/workload?service=gitlab'),
  'workload-key-new-other': open('/keys/new/workload?service=other'),
  'workload-key-new-refused': submit('/keys/new/workload', 'Create workload key', {
    'Repository ID': 'acme/site',
    'Lifetime of tokens, in seconds': '9',
  }),
  'workload-key-setup': open(`/keys/${workloadKey}/workload`),
  'workload-key-tried': submit(`/keys/${workloadKey}/workload`, 'Try token', {
    // {"alg":"RS256"} and {"iss":"https://other.example","repository_id":1,"ref":"refs/heads/dev"}
    'Identity token':
      'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL290aGVyLmV4YW1wbGUiLCJyZXBvc2l0b3J5X2lkIjoxLCJyZWYiOiJyZWZzL2hlYWRzL2RldiJ9.AA',
  }),
  'workload-key-not-tried': submit(`/keys/${workloadKey}/workload`, 'Try token', {
    'Identity token': 'nonsense',
  }),
  'workload-key-edit': open(`/keys/${workloadKey}/workload/edit`),
})
