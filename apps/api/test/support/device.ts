import { hashDeviceCode } from '@hosting/core/device-login'
import type { Response } from 'supertest'
import type { TestApi } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import { freshAddress } from './addresses.ts'
import { auditOf } from './webhooks.ts'

/** The configuration under which a test says where its requests come from. */
export const behindProxy = { TRUSTED_PROXIES: '127.0.0.1/32' }

/** A device login that was started. */
export interface StartedLogin {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly expires_in: number
  readonly interval: number
}

const clientName = 'laptop of ana'

/** Asks for codes. */
export const askForCodes = (
  api: TestApi,
  { ip = freshAddress(), name = clientName, headers = {} } = {},
): Promise<Response> =>
  api.call('post', '/auth/device/code', {
    body: { client_name: name },
    headers: { 'x-forwarded-for': ip, 'user-agent': 'hctl/1.2 (linux)', ...headers },
  })

/** Starts a device login. */
export async function startLogin(
  api: TestApi,
  options: { ip?: string; name?: string } = {},
): Promise<StartedLogin> {
  const response = await askForCodes(api, options)
  if (response.status !== 200) throw new Error(`No login was started: ${response.text}`)
  return response.body as StartedLogin
}

/** Polls a device login. */
export const poll = (
  api: TestApi,
  { device_code }: Pick<StartedLogin, 'device_code'>,
): Promise<Response> => api.call('post', '/auth/device/token', { body: { device_code } })

/** The code of the problem that a poll gives. */
export const pollCode = async (
  api: TestApi,
  login: Pick<StartedLogin, 'device_code'>,
): Promise<string> => (await poll(api, login)).body.code as string

/** Moves the times of a device login into the past by this number of ms. */
export async function pass(
  { database }: TestApi,
  ms: number,
  ...logins: Pick<StartedLogin, 'device_code'>[]
): Promise<void> {
  await database.pool.query(
    `UPDATE device_requests SET created_at = created_at - $1 * interval '1 ms',
       expires_at = expires_at - $1 * interval '1 ms',
       last_polled_at = last_polled_at - $1 * interval '1 ms'
     WHERE device_code_hash = ANY ($2)`,
    [ms, logins.map(({ device_code }) => hashDeviceCode(device_code))],
  )
}

/** What is kept of a device login, as far as tests read it. */
export interface KeptLogin {
  readonly id: string
  readonly userCodeHash: Uint8Array
  readonly clientName: string
  readonly status: string
  readonly lastPolledAt: Date | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** What is kept of a device login. */
export const rowOf = async (
  { database }: TestApi,
  { device_code }: Pick<StartedLogin, 'device_code'>,
): Promise<KeptLogin> =>
  database.prisma.deviceRequest.findUniqueOrThrow({
    where: { deviceCodeHash: Uint8Array.from(hashDeviceCode(device_code)) },
  })

/** The path of a device login for its approver. */
export const requestPath = ({ user_code }: Pick<StartedLogin, 'user_code'>): string =>
  `/auth/device/requests/${encodeURIComponent(user_code)}`

/** A person who is signed in, and what they do with device logins. */
export async function signIn(api: TestApi, options: Parameters<typeof makeSignedIn>[2] = {}) {
  const tenant = await api.makeTenant()
  const person = await makeSignedIn(api, tenant, options)
  const call = callWith(api, person)
  return {
    tenant,
    person,
    call,
    look: (login: Pick<StartedLogin, 'user_code'>) => call('get', requestPath(login)),
    approve: (login: Pick<StartedLogin, 'user_code'>, access = 'full') =>
      call('post', `${requestPath(login)}/approve`, { body: { access } }),
    refuse: (login: Pick<StartedLogin, 'user_code'>) =>
      call('post', `${requestPath(login)}/refuse`),
    /** The audit log of the organization. */
    audit: async () => auditOf(api, tenant.id),
    countKeys: async () => api.database.prisma.apiKey.count({ where: { tenantId: tenant.id } }),
  }
}
