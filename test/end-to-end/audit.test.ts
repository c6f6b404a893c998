import { createKeySecret, formatKeyToken } from '@hosting/core/api-keys'
import { describe, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { root } from '../../tools/run.ts'
import { callerAt, callerOf, inLanes } from '../support/caller.ts'
import { testEnvironment } from '../support/environment.ts'
import { writeTemporary } from '../support/temporary-folder.ts'
import { until, useStack } from '../support/stack.ts'

const stack = useStack()

const withOtherSecret = (id: string): string => formatKeyToken(createKeySecret(id))

async function query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
  return (await stack.database.pool.query(sql, [...values])).rows as Row[]
}

const verify = (...options: string[]) => runTool(['tools/verify-audit.ts', ...options])

/** Runs a tool on the stack's database, with a text as its standard input. */
const runTool = (command: string[], input = ''): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env['PATH'],
      ...testEnvironment({ DATABASE_URL: stack.database.pool.options.connectionString! }),
    }
    const child = execFile(
      process.execPath,
      command,
      { cwd: root, env },
      (_error, stdout, stderr) =>
        resolve({ code: child.exitCode!, output: `${stdout}${stderr}`.trimEnd() }),
    )
    child.stdin!.end(input)
  })

async function sealAll(): Promise<void> {
  const worker = await stack.startWorker()
  const countWaiting = () => query<{ count: number }>('SELECT count(*)::int FROM audit_unsealed')
  await until(countWaiting, ([waiting]) => waiting!.count === 0)
  expect(await worker.stop()).toBe(0)
}

/** Causes changes and refusals in an organization; returns its id. */
async function makeHistory(): Promise<string> {
  const tenant = await stack.api.makeTenant()
  const { token } = await tenant.makeKey()
  const body = { name: 'a key', scopes: ['sites:read'] }
  const made = await stack.api.call('post', '/api-keys', { token, body })
  const path = `/api-keys/${made.body.key.id}`
  await stack.api.call('patch', path, { token, body: { name: 'ümlaut \u{1F511} "quoted"' } })
  await stack.api.call('post', `${path}/rotate`, { token, body: { grace_seconds: 60 } })
  await stack.api.call('get', '/api-keys', { token: made.body.token })
  await stack.api.call('get', '/auth/me', { token: withOtherSecret(made.body.key.id) })
  await stack.api.call('delete', path, { token })
  return tenant.id
}

const spareId = randomUUID()

describe('the sealed audit log', () => {
  let tenantId: string

  test('contains every change and refusal, and verifies', async () => {
    tenantId = await makeHistory()
    await makeHistory()
    await sealAll()
    const events = await query<{ action: string; reason: string | null }>(
      `SELECT action, reason FROM audit_seals s JOIN audit_events e ON e.id = s.audit_event_id
       WHERE s.tenant_id = $1 ORDER BY sequence`,
      [tenantId],
    )
    expect(events).toEqual([
      { action: 'tenant.create', reason: null },
      { action: 'user.create', reason: null },
      { action: 'api_key.create', reason: null },
      { action: 'api_key.update', reason: null },
      { action: 'api_key.rotate', reason: null },
      { action: 'api_key.refuse', reason: 'insufficient_scope' },
      { action: 'api_key.refuse', reason: 'invalid_api_key' },
      { action: 'api_key.revoke', reason: null },
    ])
    expect(await verify()).toEqual({
      code: 0,
      output: '16 entries of 2 organizations, 0 errors',
    })
  })

  test.each([
    ['an edited event', [`UPDATE audit_events SET actor_name = 'Eve' WHERE id = ${eventAt(4)}`]],
    [
      'an event whose details were edited',
      [
        `UPDATE audit_events SET details = details || '{"grace_seconds": 0}' WHERE id = ${eventAt(5)}`,
      ],
    ],
    [
      'an event moved to another time',
      [
        `UPDATE audit_events SET occurred_at = occurred_at - interval '1 ms' WHERE id = ${eventAt(3)}`,
      ],
    ],
    ['a removed event', [`DELETE FROM audit_events WHERE id = ${eventAt(5)}`]],
    [
      'an event removed with its seal',
      [
        `DELETE FROM audit_events WHERE id = ${eventAt(5)}`,
        'DELETE FROM audit_seals WHERE tenant_id = $1 AND sequence = 5',
      ],
    ],
    [
      'two events that were swapped',
      [
        `UPDATE audit_events SET id = '${spareId}' WHERE id = ${eventAt(4)}`,
        `UPDATE audit_events SET id = ${eventAt(4)} WHERE id = ${eventAt(5)}`,
        `UPDATE audit_events SET id = ${eventAt(5)} WHERE id = '${spareId}'`,
      ],
    ],
    [
      'a truncated tail and a lower head',
      [
        `DELETE FROM audit_events WHERE id = ${eventAt(8)}`,
        'DELETE FROM audit_seals WHERE tenant_id = $1 AND sequence = 8',
        `UPDATE audit_chain c SET count = 7, hash = s.hash FROM audit_seals s
         WHERE c.tenant_id = $1 AND c.count = 8 AND s.tenant_id = $1 AND s.sequence = 7`,
      ],
    ],
    ['a head that was removed', ['DELETE FROM audit_chain WHERE tenant_id = $1']],
    [
      'an event that was inserted past the trigger',
      [
        `INSERT INTO audit_events (id, tenant_id, action, outcome, actor_type)
         VALUES ('${spareId}', $1, 'api_key.create', 'success', 'system')`,
      ],
    ],
  ])('with %s fails verification', async (_what, statements) => {
    await tamper(statements, tenantId)
    const { code, output } = await verify()
    await restore()
    expect(output.split('\n')[0]).toContain(tenantId)
    expect(output).not.toMatch(/ 0 errors$/)
    expect(code).toBe(1)
  })

  test('with an organization removed from every table fails verification against an anchor', async () => {
    const { code: anchored, output: anchor } = await runTool(['tools/anchor-audit.ts'])
    expect(anchored).toBe(0)
    expect(JSON.parse(anchor)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      count: expect.any(Number),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const file = writeTemporary('anchors', `${anchor}\n`)
    expect(await verify('--since-anchor', file)).toMatchObject({ code: 0 })
    // As if nothing had ever been written: the remaining chains are consistent.
    await tamper(
      tables.map((table) => `DELETE FROM ${table}`),
      tenantId,
    )
    const unanchored = await verify()
    const found = await verify('--since-anchor', file)
    await restore()
    expect(unanchored).toEqual({ code: 0, output: '0 entries of 0 organizations, 0 errors' })
    expect(found).toMatchObject({ code: 1 })
    expect(found.output).toMatch(/^installation #\d+: the anchor of .*: the chain has only 0 links/)
  })

  test("is compared with the anchors of a worker's log, from a file or the standard input", async () => {
    const worker = await stack.startWorker()
    const readLog = () => Promise.resolve(worker.lines.filter((line) => line.startsWith('{')))
    const log = await until(readLog, (lines) => lines.some((line) => line.includes('audit anchor')))
    expect(await worker.stop()).toBe(0)
    const text = log.join('\n')
    const file = writeTemporary('worker.log', text)
    expect(await verify('--since-anchor', file)).toMatchObject({ code: 0 })
    await tamper(
      tables.map((table) => `DELETE FROM ${table}`),
      tenantId,
    )
    const found = await verify('--since-anchor', file)
    const piped = await runTool(['tools/verify-audit.ts', '--since-anchor', '/dev/stdin'], text)
    await restore()
    expect(found).toMatchObject({ code: 1 })
    expect(found.output).toMatch(/^installation #\d+: the anchor of .*: the chain has only 0 links/)
    expect(piped).toEqual(found)
  })

  test('malformed anchors are refused', async () => {
    const negative = '{"time":"","count":-1,"hash":"","signature":""}'
    const inLog = `{"level":30,"time":1,"anchor":${negative},"msg":"audit anchor"}`
    const noAnchor = '{"level":30,"time":1,"msg":"listening"}'
    for (const text of ['', 'anchor', '{}', negative, inLog, noAnchor]) {
      const { code } = await verify('--since-anchor', writeTemporary('anchors', text))
      expect(code).toBe(1)
    }
  })

  test('verifies again after everything is restored', async () => {
    expect(await verify()).toMatchObject({ code: 0 })
  })
})

function eventAt(sequence: number): string {
  return `(SELECT audit_event_id FROM audit_seals WHERE tenant_id = $1 AND sequence = ${sequence})`
}

const tables = ['audit_events', 'audit_seals', 'audit_unsealed', 'audit_chain'] as const

/** Changes the tables as a superuser can, with the triggers disabled; saves the original rows. */
async function tamper(statements: readonly string[], tenantId: string): Promise<void> {
  await asSuperuser(async (run) => {
    for (const table of tables) await run(`CREATE TABLE kept_${table} AS TABLE ${table}`)
    for (const statement of statements) {
      await run(statement, statement.includes('$1') ? [tenantId] : [])
    }
  })
}

async function restore(): Promise<void> {
  await asSuperuser(async (run) => {
    for (const table of tables) {
      await run(`TRUNCATE ${table}`)
      await run(`INSERT INTO ${table} TABLE kept_${table}`)
      await run(`DROP TABLE kept_${table}`)
    }
  })
}

async function asSuperuser(
  work: (run: (sql: string, values?: unknown[]) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const client = await stack.database.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('ALTER TABLE audit_events DISABLE TRIGGER USER')
    await work((sql, values) => client.query(sql, values))
    await client.query('ALTER TABLE audit_events ENABLE TRIGGER USER')
    await client.query('COMMIT')
  } finally {
    client.release(true)
  }
}

test('1,000 refusals of a key at two processes within a minute are two events, the second with a count', async () => {
  const processes = [callerAt(stack.api), callerOf(await stack.startApi())] as const
  const { id, token } = await (await stack.api.makeTenant()).makeKey()
  const wrong = withOtherSecret(id)
  await inLanes(
    1_000,
    async (index) => {
      const response = await processes[index % 2]!.call('get', '/auth/me', { token: wrong })
      expect(response).toMatchObject({ status: 401, code: 'invalid_api_key' })
    },
    16,
  )
  const listRefusals = async () => {
    const path = `/audit-log?action=api_key.refuse&key_id=${id}`
    return (await processes[0].call('get', path, { token })).body.items
  }
  const first = {
    action: 'api_key.refuse',
    outcome: 'refused',
    reason: 'invalid_api_key',
    actor: { type: 'anonymous', id: null, name: null, key_id: null },
    target: { type: 'api_key', id },
    ip: '127.0.0.1',
    details: { route: 'auth.me' },
  }
  const repeats = () =>
    query<{ repeated: number }>('SELECT repeated FROM refusal_windows WHERE key_id = $1', [id])
  await until(repeats, ([window]) => window!.repeated === 999)
  expect(await listRefusals()).toEqual([expect.objectContaining(first)])

  await query(`UPDATE refusal_windows SET started_at = started_at - interval '1 minute'`)
  await stack.startWorker()
  await until(repeats, (windows) => windows.length === 0)
  expect(await listRefusals()).toEqual([
    expect.objectContaining({ ...first, details: { ...first.details, repeated: 999 } }),
    expect.objectContaining(first),
  ])
  await sealAll()
  expect(await verify()).toMatchObject({ code: 0 })
})
