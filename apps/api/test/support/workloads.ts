import { afterAll, beforeAll, expect } from '@jest/globals'
import type { Response } from 'supertest'
import type { TestApi } from '../../../../test/support/api.ts'
import { startIssuer, type Issuer } from '../../../../test/support/issuer.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import { freshAddress } from './addresses.ts'
import { auditOf } from './webhooks.ts'

export const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const tokenType = 'urn:ietf:params:oauth:token-type:id_token'

/** An issuer that runs during the tests of a file. */
export function useIssuer(): Issuer {
  let issuer: Issuer
  beforeAll(async () => {
    issuer = await startIssuer()
  })
  afterAll(() => issuer.close())
  return {
    get url() {
      return issuer.url
    },
    get requests() {
      return issuer.requests
    },
    sign: (claims) => issuer.sign(claims),
    rotateKey: () => issuer.rotateKey(),
    respondWith: (reply) => issuer.respondWith(reply),
    close: () => issuer.close(),
  }
}

/** A workload key, and the session of the admin who created it. */
export interface WorkloadKeyOfTest {
  readonly id: string
  readonly tenantId: string
  readonly audience: string
  readonly call: ReturnType<typeof callWith>
}

/** Creates a workload key with a session. */
export async function makeWorkloadKey(
  api: TestApi,
  issuer: Issuer,
  fields: object = {},
): Promise<WorkloadKeyOfTest> {
  const tenant = await api.makeTenant()
  const call = callWith(api, await makeSignedIn(api, tenant, { roles: ['admin'] }))
  const { status, body } = await call('post', '/api-keys', {
    body: {
      name: 'deploy',
      kind: 'organization',
      scopes: ['sites:read', 'apikeys:write'],
      workload: { issuer: issuer.url, conditions: { repository_id: '1234' } },
      ...fields,
    },
  })
  expect({ status, token: body.token }).toEqual({ status: 201, token: null })
  return { id: body.key.id, tenantId: tenant.id, audience: body.key.workload.audience, call }
}

/** Exchanges an identity token. */
export const exchange = (
  api: TestApi,
  token: unknown,
  { ip = freshAddress(), ...changed }: { ip?: string; [member: string]: unknown } = {},
): Promise<Response> =>
  api.call('post', '/auth/token', {
    body: {
      grant_type: grantType,
      subject_token: token,
      subject_token_type: tokenType,
      ...changed,
    },
    headers: { 'x-forwarded-for': ip },
  })

/** Workload keys of an issuer, their identity tokens and their exchanges. */
export const workloadsOf = (api: TestApi, issuer: Issuer) => ({
  makeKey: (fields: object = {}) => makeWorkloadKey(api, issuer, fields),
  tokenFor: ({ audience }: { audience: string }, claims: object = {}): string =>
    issuer.sign({ aud: audience, repository_id: '1234', ...claims }),
  exchangesOf: async ({ tenantId }: { tenantId: string }) =>
    (await auditOf(api, tenantId)).filter(({ action }) => action === 'api_key.exchange'),
})

/** The problem of an exchange, and its `error` of RFC 6749. */
export const problemOf = ({ status, body }: Response) => ({
  status,
  code: body.code as string,
  error: body.error as string,
})
