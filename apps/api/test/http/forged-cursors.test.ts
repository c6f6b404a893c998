import { internalRoutes, publicRoutes, type Route } from '@hosting/api'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import { plainCursor } from '../support/delivery-list.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()

const numbers = [
  '0',
  '-1',
  '1.5',
  '9'.repeat(14),
  '9'.repeat(18),
  '9'.repeat(19),
  '9'.repeat(90),
  'NaN',
  '',
]
const times = ['-999999999999999', '999999999999999', '281474976710656', '8640000000000001']
const logs = ['409ec9c0', '00000000', 'zzzzzzzz']

/** Positions of every list, with values that PostgreSQL cannot store among them. */
const positions = [
  ...numbers,
  randomUUID(),
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '00000000-0000-0000-0000-000000000000',
  ...numbers.map((ms) => `${ms}.aaaaaaaaaaaa`),
  ...numbers.map((micros) => `${micros}-${randomUUID()}`),
  ...logs.flatMap((log) => [...numbers, ...times].map((ms) => `${log}.1.${ms}`)),
  ...times.flatMap((ms) => logs.map((log) => `${log}.1.${Date.now()}.${ms}.5`)),
  ...numbers.map((position) => `${logs[0]}.${position}.${Date.now()}`),
  '\0',
  '%',
]

const names = [
  'webhooks',
  'webhook-deliveries',
  'webhook-incidents',
  'api-keys',
  'audit-log',
  'event',
  'notices',
  'sessions',
  'passkeys',
  'newest-events',
  'directory-tenants',
  'api-key-uses-by-hour',
]
/** Made by anybody: in the form of version 1.0.0, and at random. */
const forged = [
  ...names.map((name) => plainCursor(name, randomUUID())),
  ...[1, 80, 144, 192].map((bytes) => randomBytes(bytes).toString('base64url')),
  'A'.repeat(256),
  'null',
  '%00',
]

const lists = ([...publicRoutes, ...internalRoutes] as unknown as readonly Route[])
  .map(({ query, path, auth, operationId }) => ({
    operationId,
    path,
    isInternal: auth === 'service',
    parameter: ['cursor', 'after'].find((name) => query && name in query.properties),
  }))
  .filter(({ parameter }) => parameter !== undefined)

type List = (typeof lists)[number]

describe('a forged cursor', () => {
  let call: ReturnType<typeof callWith>
  let ids: { tenant: string; endpoint: string; key: string }
  beforeAll(async () => {
    const tenant = await api.makeTenant()
    call = callWith(api, await makeSignedIn(api, tenant))
    const { id: key, token } = await tenant.makeKey()
    ids = { tenant: tenant.id, endpoint: (await makeWebhook(api, token)).id, key }
  })

  /** The statuses of requests with the cursors. */
  async function statusesOf({ path, isInternal, parameter }: List, cursors: readonly string[]) {
    const ofRecord = path.startsWith('/api-keys') ? ids.key : ids.endpoint
    const url = path.replace(':id', isInternal ? ids.tenant : ofRecord)
    const statuses = new Map<number, string[]>()
    for (const cursor of cursors) {
      const target = `${url}?${parameter}=${cursor}`
      const { status } = await (isInternal ? api.callInternal('get', target) : call('get', target))
      statuses.set(status, [...(statuses.get(status) ?? []), cursor])
    }
    return statuses
  }

  test('is tried with every list', () => {
    expect(lists.length).toBeGreaterThan(12)
  })

  test.each(lists)('is 422 for $operationId', async (list) => {
    expect([...(await statusesOf(list, forged)).keys()]).toEqual([422])
  })

  test.each([
    ['events.list', 'events'],
    ['internal.notices', 'notice-feed'],
  ])('is never a 5xx where the form of version 1.0.0 is accepted: %s', async (id, name) => {
    const list = lists.find(({ operationId }) => operationId === id)!
    const cursors = positions.map((position) => plainCursor(name, position))
    const statuses = await statusesOf(
      list,
      cursors.filter((cursor) => cursor.length <= 256),
    )
    expect([...statuses.keys()].toSorted()).toEqual([200, 422])
    expect(statuses.get(200)!.length).toBeLessThan(20)
  })
})
