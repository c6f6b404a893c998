import { beforeAll, expect, test } from '@jest/globals'
import { connect, type TestKey } from '../support/api.ts'
import { countUnrevoked, insertChain, insertChildren } from '../support/key-trees.ts'
import { until, useStack } from '../support/stack.ts'

const stack = useStack()
let owner: TestKey

beforeAll(async () => {
  owner = await (await stack.api.makeTenant()).makeKey()
})

async function makeKey(token: string) {
  const body = { name: 'Deploy', scopes: ['*'] }
  const response = await stack.api.call('post', '/api-keys', { token, body })
  return { id: response.body.key.id as string, token: response.body.token as string }
}

const statusOf = async (token: string) =>
  (await stack.api.call('get', '/auth/me', { token })).status

const countRequested = () => stack.database.prisma.keyRevocation.count()

test('a worker completes the revocation of descendants if the API is killed during it', async () => {
  const service = await stack.startApi()
  const killed = connect(stack.database, service)
  const stolen = await makeKey(owner.token)
  const child = await makeKey(stolen.token)
  const grandchild = await makeKey(child.token)
  const { pool } = stack.database
  const client = await pool.connect()
  try {
    // The revocation of the child waits for this lock, after the named key has been revoked. FOR UPDATE, which no process
    // takes, would also block the recording of usage, which locks other keys.
    await client.query('BEGIN')
    // On a busy machine, the rest takes longer than a transaction of the service may be idle.
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    await client.query('SELECT 1 FROM api_keys WHERE id = $1 FOR NO KEY UPDATE', [child.id])
    let response: unknown
    const request = killed
      .call('delete', `/api-keys/${stolen.id}?descendants=true`, { token: owner.token })
      .then(({ status, body }) => (response = { status, body }))
      .catch(() => undefined)
    await until(
      async () => ({ status: await statusOf(stolen.token), response }),
      ({ status }) => status === 401,
    )
    await service.kill()
    await request
    expect(await statusOf(grandchild.token)).toBe(200)
    expect(await countRequested()).toBe(1)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
  await stack.startWorker()
  await until(countRequested, (count) => count === 0)
  for (const { token } of [stolen, child, grandchild]) expect(await statusOf(token)).toBe(401)
  expect(await statusOf(owner.token)).toBe(200)
})

test('5,000 children and 5,000 generations of valid keys are revoked, each with one audit entry', async () => {
  const { database, api } = stack
  await stack.startWorker()
  const stolen = await makeKey(owner.token)
  await insertChildren(
    database,
    { keyId: stolen.id, prefix: 'biga' },
    { count: 5_000, revoked: false },
  )
  await insertChain(
    database,
    { keyId: stolen.id, prefix: 'bigb' },
    { length: 5_000, revoked: false },
  )
  const path = `/api-keys/${stolen.id}?descendants=true`
  expect((await api.call('delete', path, { token: owner.token })).status).toBe(204)
  expect(await statusOf(stolen.token)).toBe(401)
  await until(countRequested, (count) => count === 0, 120_000)
  expect(await countUnrevoked(database, stolen.id)).toBe(0)
  const entries = await database.prisma.auditEvent.findMany({
    where: { action: 'api_key.revoke', targetId: { startsWith: 'big' } },
  })
  expect(entries).toHaveLength(10_000)
  expect(new Set(entries.map(({ targetId }) => targetId)).size).toBe(10_000)
  expect(entries[0]).toMatchObject({ actorKeyId: owner.id, details: { revoked_with: stolen.id } })
}, 240_000)
