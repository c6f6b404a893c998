import { describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { json, useServer } from '../../packages/sdk/test/support/server.ts'
import { root } from '../../tools/run.ts'
import {
  paddedTokens,
  secretPart,
  unsendableTokens,
  wholeToken,
} from '../support/unsendable-tokens.ts'

const server = useServer()

interface Outcome {
  /** The errors with their members and causes, and what was printed. */
  readonly text: string
  readonly refused: boolean
  readonly kind: string | null
}

/** Calls the service as each of the cases; one program does it for all. */
async function callWith(cases: readonly object[]): Promise<Outcome[]> {
  const driver = `${root}test/clients/drivers/tokens.py`
  const child = spawn('python3', ['-B', driver, server.baseUrl], {
    env: { PATH: process.env['PATH'], PYTHONPATH: `${root}clients/python`, PYTHONUTF8: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(cases))
  return JSON.parse(await text(child.stdout)) as Outcome[]
}

describe('the Python client', () => {
  test('refuses a token that cannot be sent, and no output contains a part of it', async () => {
    const cases = Object.entries(unsendableTokens)
    const outcomes = await callWith(cases.map(([, [token]]) => ({ token })))
    for (const [index, [what, [, named]]] of cases.entries()) {
      const outcome = outcomes[index]!
      expect([what, outcome.refused, named.test(outcome.text)]).toEqual([what, true, true])
      expect([what, outcome.text.includes(secretPart.slice(0, 8))]).toEqual([what, false])
    }
    expect(server.requests).toEqual([])
  })

  test('removes what is around a token', async () => {
    server.responders = [json(200, {})]
    await callWith(Object.values(paddedTokens).map((token) => ({ token })))
    const sent = server.requests.map(({ headers }) => headers.authorization)
    expect(new Set(sent)).toEqual(new Set([`Bearer ${wholeToken}`]))
  })

  test('shows no token in an error or its output for debugging', async () => {
    const page = `<pre>Authorization: Bearer ${wholeToken}</pre>`
    server.responders = [(response) => response.writeHead(502).end(page)]
    const outcomes = await callWith([
      { token: wholeToken },
      { token: wholeToken, base_url: 'http://127.0.0.1:9' },
      { headers: { Authorization: `Bearer ${wholeToken}\nsecond` } },
      { base_url: `https://user:${secretPart}@panel.example` },
      { base_url: `ftp://user:${secretPart}@panel.example` },
      { base_url: `http://user:${secretPart}:x@panel.example` },
      { base_url: `http://[user:${secretPart}@panel.example` },
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'ApiProblem',
      'ApiConnectionError',
      ...Array.from({ length: 5 }, () => 'ValueError'),
    ])
    for (const outcome of outcomes) expect(outcome.text).not.toContain(secretPart)
  })
})
