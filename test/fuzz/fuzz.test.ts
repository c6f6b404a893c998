import { startApi } from '@hosting/api'
import { openDatabase } from '@hosting/postgres/database'
import type { Logger } from '@hosting/process'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { hash } from 'node:crypto'
import { behindProxy } from '../../apps/api/test/support/device.ts'
import { connect, type TestApi } from '../support/api.ts'
import { testConfig } from '../support/environment.ts'
import { defects, startDefective } from './defects.ts'
import { draftsOf, type Draft } from './drafts.ts'
import { exchange } from './exchange.ts'
import { extremesOf } from './extremes.ts'
import { operations, publicListener, type Operation } from './operations.ts'
import { requirePublished } from './published.ts'
import { requireReason } from './refusals.ts'
import { requireValidResponse } from './verdict.ts'
import { furnish, type World } from './world.ts'

/** Constant for the same document, so that a commit either passes or fails; set another one to search further. */
const seed = Number(
  process.env['FUZZ_SEED'] ??
    Number.parseInt(hash('sha256', JSON.stringify(operations)).slice(0, 7), 16),
)
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 20)
const replay = `FUZZ_SEED=${seed} FUZZ_RUNS=${numRuns} npm test -- test/fuzz`

/** Log lines of level warning or higher. */
const logged: unknown[] = []
const keep = (entry: unknown, message: unknown): void => {
  if (!isLateRedis(entry) && message !== unreadableProxyEntry) logged.push({ entry, message })
}
/** Logged once, because the requests come from a trusted proxy. */
const unreadableProxyEntry = 'a trusted proxy sent an X-Forwarded-For entry that is not an address'
/** The gate's Redis timeout is 250 ms, which a busy machine may exceed. PostgreSQL is the fallback, so nothing failed. */
const isLateRedis = (entry: unknown): boolean =>
  (entry as { err?: Error } | null)?.err?.message === 'Command timed out'
const drop = (): void => undefined
const log = {
  fatal: keep,
  error: keep,
  warn: keep,
  info: drop,
  debug: drop,
  isLevelEnabled: (level: string) => level === 'warn',
} as unknown as Logger

let api: TestApi
let close: () => Promise<void>
beforeAll(async () => {
  const config = testConfig(behindProxy)
  const running = await startApi(config, log)
  const database = openDatabase(config.databaseUrl.reveal(), { onError: drop })
  api = connect(database, running)
  close = async () => {
    await running.close()
    await database.close()
  }
})
afterAll(() => close())

const titled = operations.map((operation): [string, Operation] => [
  `${operation.method} ${operation.listener.base}${operation.path}`,
  operation,
])

/** The codes of checks before an operation: a request with another code, or none, has reached it. */
const before: ReadonlySet<unknown> = new Set([
  'authentication_required',
  'invalid_api_key',
  'api_key_not_allowed',
  'insufficient_scope',
  'permission_denied',
  'csrf_failed',
  'reauthentication_required',
  'malformed_json',
  'unsupported_media_type',
  'validation_failed',
])

/** Operations that only an authenticator can complete: what they refuse is `validation_failed`, too. */
const needsAuthenticator: ReadonlySet<string> = new Set(['POST /api/v1/auth/factors/passkeys'])

/** The address of the operation's listener. */
const listenerOf = ({ listener }: Operation): string =>
  listener.name === 'public' ? api.url : api.internalUrl

/**
 * Sends requests to an operation: those at the limits of its document, and random ones.
 *
 * @param base - where they are sent.
 * @throws Error that says what is wrong with a response.
 */
async function search(operation: Operation, base: string): Promise<{ reached: number }> {
  let world: World | undefined
  let reached = 0
  const send = async (draft: Draft): Promise<void> => {
    world ??= await furnish(api, operation)
    logged.length = 0
    const response = await exchange(base, draft, world)
    requireValidResponse(operation, draft.method, response)
    requirePublished(operation, response)
    requireReason(operation, response)
    if (logged.length > 0) throw new Error(`was logged: ${describeLogged()}`)
    if (response.status < 400 || !before.has(codeOf(response.text))) reached += 1
    // The records that the path names no longer exist.
    if (response.status === 204 && operation.path.includes('{')) world = undefined
  }
  for (const draft of extremesOf(operation)) await send(draft)
  await fc.assert(fc.asyncProperty(draftsOf(operation), send), {
    seed,
    numRuns,
    includeErrorInReport: true,
  })
  return { reached }
}

describe(`no request causes a failure, no valid one is refused, and every response is documented (${replay})`, () => {
  test.each(titled)(
    '%s',
    async (title, operation) => {
      const { reached } = await search(operation, listenerOf(operation))
      expect(reached > 0 || needsAuthenticator.has(title)).toBe(true)
    },
    120_000,
  )
})

const codeOf = (text: string): unknown =>
  text === '' ? undefined : (JSON.parse(text) as { code?: unknown }).code

const describeLogged = (): string =>
  JSON.stringify(logged, (_name, value: unknown) => (value instanceof Error ? value.stack : value))

describe('a defect that is planted in front of the API is found:', () => {
  test.each(defects)('$name', async ({ operationId, plant, found }) => {
    const operation = operations.find((each) => each.operationId === operationId)!
    const defective = await startDefective(listenerOf(operation), plant)
    try {
      await expect(search(operation, defective.url)).rejects.toThrow(found)
    } finally {
      await defective.close()
    }
  })
})

test('the tests use the operations of the document that is served', async () => {
  const served = (await (await fetch(`${api.url}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, object>
  }
  const methodsOf = (paths: Readonly<Record<string, object>>) =>
    Object.entries(paths).map(([path, methods]) => [path, Object.keys(methods)])
  expect(methodsOf(served.paths)).toEqual(methodsOf(publicListener.document.paths))
})
