import { expect } from '@jest/globals'
import type { Response } from 'supertest'
import type { TestApi } from '../../../../test/support/api.ts'
import type { Issuer } from '../../../../test/support/issuer.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import { freshAddress } from './addresses.ts'

export const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const tokenType = 'urn:ietf:params:oauth:token-type:id_token'

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
