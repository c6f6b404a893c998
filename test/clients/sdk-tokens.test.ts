import { ApiProblem, ConnectionError, createClient, InvalidTokenError } from '@hosting/sdk'
import {
  createInternalClient,
  InvalidTokenError as InvalidServiceToken,
} from '@hosting/platform-sdk'
import { describe, expect, test } from '@jest/globals'
import { inspect } from 'node:util'
import {
  everythingOf,
  paddedTokens,
  secretPart,
  unsendableTokens,
  wholeToken,
} from '../support/unsendable-tokens.ts'
import { errorOf, json, useServer } from '../../packages/sdk/test/support/server.ts'

const server = useServer()
const shown = (error: unknown): string =>
  everythingOf(error, (value) => inspect(value, { depth: 10, showHidden: true }))

/** What a function throws. */
function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

describe('a token that cannot be sent is refused, and the error has no part of it', () => {
  test.each(Object.entries(unsendableTokens))('%s', (_what, [token, named]) => {
    const baseUrl = 'http://127.0.0.1:9'
    const error = thrownBy(() => createClient({ baseUrl, token }))
    const internal = thrownBy(() => createInternalClient({ baseUrl, token }))
    expect(error).toBeInstanceOf(InvalidTokenError)
    expect(internal).toBeInstanceOf(InvalidServiceToken)
    for (const each of [error, internal]) {
      expect((each as Error).message).toMatch(named)
      expect(shown(each)).not.toContain(secretPart.slice(0, 8))
    }
  })

  test.each(['Authorization', 'authorization', 'X-Custom'])(
    'also as the header %s of the caller',
    (name) => {
      const headers = { [name]: `Bearer ${wholeToken}\nsecond` }
      const error = thrownBy(() => createClient({ baseUrl: server.baseUrl, headers }))
      expect(error).toBeInstanceOf(TypeError)
      expect(shown(error)).toContain(`The header ${name} is not valid.`)
      expect(shown(error)).not.toContain(secretPart)
    },
  )
})

test.each(Object.entries(paddedTokens))('%s is removed from a token', async (_what, token) => {
  server.responders = [json(200, {})]
  await server.client({ token }).GET('/auth/me')
  expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${wholeToken}`)
})

test.each([
  `https://user:${secretPart}@panel.example`,
  `https://:${secretPart}@panel.example`,
  `https://user:${secretPart}@panel example`,
  `ftp://user:${secretPart}@panel.example`,
  `user:${secretPart}@panel.example`,
])('the error of a base URL with a password does not contain it: %s', (baseUrl) => {
  const error = thrownBy(() => createClient({ baseUrl }))
  expect(error).toBeInstanceOf(TypeError)
  expect(shown(error)).not.toContain(secretPart)
})

describe('the token is not in the error', () => {
  const client = (baseUrl: string) => createClient({ baseUrl, token: wholeToken, retries: 0 })

  test('of a response that repeats the request', async () => {
    const page = `<pre>Authorization: Bearer ${wholeToken}</pre>`
    for (const status of [200, 401, 502]) {
      server.responders = [(response) => response.writeHead(status).end(page)]
      const error = await errorOf(client(server.baseUrl).GET('/auth/me'))
      expect(error).toBeInstanceOf(ApiProblem)
      expect(shown(error)).toContain('[token]')
      expect(shown(error)).not.toContain(secretPart)
    }
    const refusal = { code: 'x', title: 'T', status: 400, detail: `No ${wholeToken}.` }
    server.responders = [json(400, refusal)]
    for (const call of [
      () => client(server.baseUrl).GET('/auth/me'),
      () => client(server.baseUrl).listen().next(),
    ]) {
      expect(shown(await errorOf(call()))).not.toContain(secretPart)
    }
  })

  test('of a connection that fails', async () => {
    const error = await errorOf(client('http://127.0.0.1:9').GET('/auth/me'))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(shown(error)).not.toContain(secretPart)
  })

  test("nor is a stream's secret in the error of a message that is not JSON", async () => {
    server.responders = [
      (response) =>
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`data: {"secret":"whsec_${secretPart}"x\n\n`),
    ]
    const error = await errorOf(client(server.baseUrl).listen().next())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(shown(error)).not.toContain(secretPart.slice(0, 5))
  })

  test('and a client shows no token when it is printed', () => {
    expect(inspect(client(server.baseUrl), { depth: 10, showHidden: true })).not.toContain(
      secretPart,
    )
  })
})
