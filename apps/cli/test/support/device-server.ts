import { startReceiver, type Receiver, type Reply } from '../../../../test/support/receiver.ts'

export const keyToken = `hctl_${'a'.repeat(12)}_${'b'.repeat(38)}`

const json = { 'Content-Type': 'application/json' }
const person = { id: 'u', name: 'Ana', email: 'ana@acme.test', kind: 'human' }
const tenant = { id: 't', slug: 'acme', name: 'Acme' }
const key = {
  id: 'a'.repeat(12),
  name: 'CLI: laptop',
  scopes: ['*:read'],
  expires_at: '2027-01-02T00:00:00.000Z',
}

/** A problem document of the API. */
export const problem = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  detail = code,
): Reply => ({
  status,
  headers: { 'Content-Type': 'application/problem+json', ...headers },
  body: JSON.stringify({ type: `/problems/${code}`, title: code, status, detail, code }),
})

/** The response of a gateway whose service is down. */
export const badGateway: Reply = {
  status: 502,
  headers: { 'Content-Type': 'text/html' },
  body: '<html><h1>502 Bad Gateway</h1></html>',
}

export const pending = problem(400, 'authorization_pending')
export const slowDown = problem(400, 'slow_down')

export const approved: Reply = {
  status: 200,
  headers: json,
  body: JSON.stringify({ access_token: keyToken, key, tenant, user: person }),
}

/** A server of the device login that returns the poll responses in turn, and repeats the last one. */
export async function startDeviceServer(
  polls: readonly Reply[] = [approved],
  others: Readonly<Record<string, Reply>> = {},
  interval = 5,
): Promise<Receiver & { readonly server: string; paths(): string[] }> {
  let polled = 0
  const receiver = await startReceiver({
    respond({ method, path }) {
      const override = others[`${method} ${path}`]
      if (override) return override
      if (path === '/oauth/token') return polls[Math.min(polled++, polls.length - 1)]!
      if (path === '/oauth/device_authorization')
        return { status: 200, headers: json, body: code() }
      if (path === '/oauth/revoke') return { status: 200, headers: json, body: '{}' }
      const me = { user: person, tenant, roles: [], permissions: [], accounts: 'all', key }
      return { status: 200, headers: json, body: JSON.stringify(me) }
    },
  })
  const server = receiver.url.slice(0, -1)
  const code = () =>
    JSON.stringify({
      device_code: 'dc_secret',
      user_code: 'WDJB-MJHT',
      verification_uri: `${server}/device`,
      verification_uri_complete: `${server}/device?user_code=WDJB-MJHT`,
      expires_in: 600,
      interval,
    })
  return Object.assign(receiver, {
    server,
    paths: () =>
      receiver.requests.map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`),
  })
}
