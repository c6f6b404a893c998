import { startApi } from '@hosting/api'
import { openDatabase } from '@hosting/postgres/database'
import { createLogger } from '@hosting/process'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { connect, type TestApi } from '../../../../test/support/connected-api.ts'
import {
  credentialPlacements as placements,
  sendPlaced as exchange,
  type CredentialPlacement as Placement,
} from '../../../../test/support/credential-placements.ts'
import { testConfig } from '../../../../test/support/environment.ts'
import { KnownSecrets } from '../../../../test/support/known-secrets.ts'

const secrets = new KnownSecrets()
const serviceToken = secrets.note('the service token', 'S3rviceTokenOfThePlatform')
const lines: string[] = []

let api: TestApi
let good: string
let revoked: string
let tenantId: string
let closeAll: () => Promise<void>

beforeAll(async () => {
  const config = testConfig({
    INTERNAL_TOKENS: [serviceToken, 'test-service-token'].map(hashOf).join(','),
    LOG_LEVEL: 'trace',
  })
  const log = createLogger('api', config.logLevel, { write: (line: string) => lines.push(line) })
  const running = await startApi(config, log)
  const database = openDatabase(config.databaseUrl.reveal(), { onError: () => undefined })
  api = connect(database, running)
  closeAll = async () => {
    await running.close()
    await database.close()
  }
  const tenant = await api.makeTenant()
  tenantId = tenant.id
  const [key, other] = [await tenant.makeKey(), await tenant.makeKey()]
  good = secrets.noteToken('a valid key', key.token)
  revoked = secrets.noteToken('a revoked key', other.token)
  await api.call('delete', `/api-keys/${other.id}`, { token: good })
})
afterAll(() => closeAll())

test('no problem, log line or audit entry of the API repeats a token, wherever a client puts it', async () => {
  // A wrong secret of a known key, and a token that no key has.
  const forged = secrets.noteToken(
    'a wrong secret',
    `${good.slice(0, -38)}${'Wr0ngSecre'.repeat(4)}`.slice(0, good.length),
  )
  const malformed = secrets.note('a malformed token', `${good.slice(0, 17)}Malf0rmedSecret`)
  const statuses = new Map<number, number>()
  const echoed: string[] = []
  const send = async (url: string, verb: string, placement: Placement): Promise<void> => {
    const { status, text } = await exchange(url, verb, placement)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status >= 400) echoed.push(...secrets.findIn(text))
  }
  for (const token of [good, revoked, forged, malformed]) {
    for (const placement of placements(token)) {
      await send(`${api.url}/api/v1/webhooks`, 'GET', placement)
      await send(`${api.url}/api/v1/api-keys`, placement.suffix ? 'PATCH' : 'POST', placement)
      await send(`${api.url}/nowhere`, 'GET', placement)
    }
  }
  for (const placement of [
    ...placements(serviceToken).filter(({ suffix }) => !suffix),
    ...placements(good),
  ]) {
    await send(`${api.internalUrl}/internal/v1/tenants`, 'GET', placement)
    await send(`${api.internalUrl}/internal/v1/authorize`, 'POST', placement)
    const known = { ...placement.headers, authorization: `Bearer ${serviceToken}` }
    await send(`${api.internalUrl}/internal/v1/events`, 'POST', { ...placement, headers: known })
  }
  expect(echoed).toEqual([])
  // The requests were served and refused, and nothing failed.
  expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([])
  for (const status of [400, 401, 404, 422]) expect(statuses.get(status)).toBeGreaterThan(0)
  expect(lines.filter((line) => line.includes('"msg":"request"')).length).toBeGreaterThan(100)
  expect(secrets.findIn(lines.join('\n'))).toEqual([])
  const { rows } = await api.database.pool.query(
    `SELECT e::text AS entry FROM audit_events e WHERE tenant_id = $1`,
    [tenantId],
  )
  const entries = rows.map(({ entry }) => entry).join('\n')
  expect(entries).toContain('api_key.refuse')
  expect(secrets.findIn(entries)).toEqual([])
})

test('a problem shows the id of a key in its path, and hides the secret', async () => {
  const path = `/api/v1/api-keys/${good}`
  const { text } = await exchange(api.url + path, 'GET', {
    headers: { authorization: `Bearer ${good}` },
  })
  const [, id] = good.split('_')
  expect(decodeURI(JSON.parse(text.split('\n').at(-1)!).instance)).toBe(
    `/api/v1/api-keys/hctl_${id}_[secret]`,
  )
})

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
