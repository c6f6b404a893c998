import {
  ApiProblem,
  ConnectionError,
  DeviceLoginError,
  exchangeToken,
  pollDeviceLogin,
  revokeToken,
  startDeviceLogin,
} from '@hosting/sdk'
import { describe, expect, test } from '@jest/globals'
import type { ServerResponse } from 'node:http'
import {
  hangUp,
  html,
  json,
  problem,
  useServer,
  type Responder,
} from '../../packages/sdk/test/support/server.ts'
import { root } from '../../tools/run.ts'
import { runExample } from '../support/run-example.ts'

const server = useServer()

type What = 'sign_in' | 'exchange' | 'revoke'

/** What the client for TypeScript does: `drivers/oauth.py` does the same in Python. */
const actions: Readonly<Record<What, () => Promise<unknown>>> = {
  async sign_in() {
    const client = server.client({ token: undefined })
    const code = await startDeviceLogin(client, 'my tool')
    const login = await pollDeviceLogin(client, code, { sleep: () => Promise.resolve() })
    return login.token
  },
  async exchange() {
    return (await exchangeToken(server.client(), 'id.to.ken')).access_token
  },
  revoke: () => revokeToken(server.client(), 'hctl_old'),
}

const outcomeOf = (what: What): Promise<unknown> =>
  actions[what]().catch((error: unknown) => {
    if (error instanceof DeviceLoginError) return error.reason
    if (error instanceof ApiProblem) return error.code
    if (error instanceof ConnectionError) return 'no response'
    throw error
  })

/** Does one thing after the other, and returns each token or error. */
const languages: Readonly<Record<string, (...whats: What[]) => Promise<unknown[]>>> = {
  async TypeScript(...whats) {
    const outcomes: unknown[] = []
    for (const what of whats) outcomes.push(await outcomeOf(what))
    return outcomes
  },
  async Python(...whats) {
    const driver = `${root}test/clients/drivers/oauth.py`
    const environment = { PYTHONPATH: `${root}clients/python` }
    const running = runExample(['python3', '-B', driver, server.baseUrl, ...whats], environment)
    await running.ended
    const [, outcomes] = await running.line(/^outcomes (.+)$/)
    return JSON.parse(outcomes!) as unknown[]
  },
}

const codes = json(200, { device_code: 'dc', user_code: 'A-B', interval: 5, expires_in: 600 })
const records = { key: {}, tenant: {}, user: {} }
/** The responses of the two releases to an approved login. */
const approved = json(200, { access_token: 'hctl_new', token_type: 'Bearer', ...records })
const approvedBefore = json(200, { token: 'hctl_new', ...records })
const pending = problem(400, 'authorization_pending')
const unknown = problem(404, 'not_found')

const start = 'POST /oauth/device_authorization client_id=my+tool'
const poll =
  'POST /oauth/token grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dc&client_id=my+tool'
const startBefore = 'POST /api/v1/auth/device/code {"client_name":"my tool"}'
const pollBefore = 'POST /api/v1/auth/device/token {"device_code":"dc"}'

const text =
  (status: number, headers: Record<string, string> = {}): Responder =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>Elsewhere')

/** The requests, with the white space of JSON removed. */
const requests = (): string[] =>
  server.requests.map(
    ({ method, url, body }) => `${method} ${url} ${body.replaceAll(/(?<=[:,]) (?=")/g, '')}`,
  )

describe.each(Object.entries(languages))('the client for %s', (_language, run) => {
  test('signs in at the OAuth endpoints', async () => {
    server.responders = [codes, pending, problem(400, 'slow_down'), html, approved]
    expect(await run('sign_in')).toEqual(['hctl_new'])
    expect(requests()).toEqual([start, poll, poll, poll, poll])
  })

  test('signs in at a release of the service without OAuth endpoints', async () => {
    server.responders = [unknown, codes, pending, approvedBefore]
    expect(await run('sign_in')).toEqual(['hctl_new'])
    expect(requests()).toEqual([start, startBefore, pollBefore, pollBefore])
  })

  test('signs in while processes of two releases respond at one address', async () => {
    server.responders = [codes, unknown, pending, pending, unknown, approvedBefore]
    expect(await run('sign_in')).toEqual(['hctl_new'])
    expect(requests()).toEqual([start, poll, pollBefore, poll, poll, pollBefore])
  })

  test('ends a login with the same error at both endpoints', async () => {
    const denied = problem(400, 'access_denied')
    const expired = problem(400, 'expired_token')
    server.responders = [denied, expired].flatMap((end) => [codes, end, codes, unknown, end])
    expect(await run('sign_in', 'sign_in', 'sign_in', 'sign_in')).toEqual([
      'refused',
      'refused',
      'expired',
      'expired',
    ])
    expect(server.requests).toHaveLength(10)
  })

  test('exchanges and revokes at the OAuth endpoints, or else at those of the API', async () => {
    const exchanged = json(200, { access_token: 'hctl_short' })
    const revoked: Responder = (response) => response.writeHead(204).end()
    server.responders = [exchanged, unknown, exchanged, json(200, {}), unknown, revoked]
    const outcomes = await run('exchange', 'exchange', 'revoke', 'revoke')
    expect(outcomes.slice(0, 2)).toEqual(['hctl_short', 'hctl_short'])
    expect(requests().map((request) => request.split(' ')[1])).toEqual([
      '/oauth/token',
      '/oauth/token',
      '/api/v1/auth/token',
      '/oauth/revoke',
      '/oauth/revoke',
      '/api/v1/auth/revoke',
    ])
    expect(requests()[3]).toBe('POST /oauth/revoke token=hctl_old')
  })

  test('uses the API behind a gateway that does not pass the OAuth endpoints on', async () => {
    const gateways = [
      text(404),
      text(405),
      text(200),
      text(302, { location: '/sign-in' }),
      problem(405, 'method_not_allowed'),
      // The gateway's own credential is in the header Authorization.
      problem(401, 'invalid_client'),
    ]
    const exchanged = json(200, { access_token: 'hctl_short' })
    server.responders = gateways.flatMap((gateway) => [gateway, exchanged])
    expect(await run(...gateways.map(() => 'exchange' as const))).toEqual(
      gateways.map(() => 'hctl_short'),
    )
  })

  test('sends nothing twice that the OAuth endpoint may have processed', async () => {
    const responses = {
      invalid_grant: problem(400, 'invalid_grant'),
      invalid_request: problem(400, 'invalid_request'),
      rate_limited: problem(429, 'rate_limited'),
      service_unavailable: problem(503, 'service_unavailable'),
      unexpected_answer: html,
      'no response': hangUp,
    }
    server.responders = Object.values(responses)
    const outcomes = Object.keys(responses)
    expect(await run(...outcomes.map(() => 'exchange' as const))).toEqual(outcomes)
    expect(server.requests).toHaveLength(outcomes.length)
  })
})
