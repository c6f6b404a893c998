import { createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { loadConfig } from '@hosting/core/configuration'
import { createLogger } from '@hosting/process'
import { startWorker, type RunningWorker } from '@hosting/worker'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import {
  credentialPlacements,
  sendPlaced,
  type CredentialPlacement,
} from '../../../../test/support/credential-placements.ts'
import { KnownSecrets } from '../../../../test/support/known-secrets.ts'
import { makeOwnStack, type OwnStack } from '../../../../test/support/own-stack.ts'
import { basic } from './operators.ts'

const secrets = new KnownSecrets()
const opsToken = secrets.note('the token of operators', randomUUID())
const lines: string[] = []
let stack: OwnStack
let worker: RunningWorker

beforeAll(async () => {
  stack = await makeOwnStack()
  const config = loadConfig({ ...stack.environment, OPS_TOKEN: opsToken, LOG_LEVEL: 'trace' })
  const log = createLogger('worker', config.logLevel, { write: (line: string) => lines.push(line) })
  worker = await startWorker(config, log)
})
afterAll(async () => {
  await worker.close()
  await stack.remove()
})

const paths = ['/operations', '/queues', '/metrics', '/nowhere']
const methodsOf = ({ body }: CredentialPlacement): string[] =>
  body === undefined ? ['GET'] : ['GET', 'POST']

test("no response and no log line of the operators' listener repeats a credential, wherever a client puts it", async () => {
  const url = `http://127.0.0.1:${worker.internalPort}`
  const key = secrets.noteToken('an API key', formatKeyToken(createKeyToken()))
  const statuses = new Set<number>()
  const echoed: string[] = []
  const requests = [opsToken, key]
    .flatMap(credentialPlacements)
    .flatMap((placement) =>
      paths.flatMap((path) => methodsOf(placement).map((method) => ({ path, method, placement }))),
    )
  for (const { path, method, placement } of requests) {
    const { status, text } = await sendPlaced(url + path, method, placement)
    statuses.add(status)
    echoed.push(...secrets.findIn(text))
  }
  const signedIn = await sendPlaced(`${url}/operations`, 'GET', {
    headers: { authorization: basic(opsToken) },
  })
  expect(signedIn.status).toBe(200)
  expect(echoed).toEqual([])
  for (const status of [200, 401, 404]) expect(statuses).toContain(status)
  expect([...statuses].filter((status) => status >= 500)).toEqual([])
  expect(lines.length).toBeGreaterThan(0)
  expect(secrets.findIn(lines.join('\n'))).toEqual([])
})
