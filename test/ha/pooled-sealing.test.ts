import { auditKeysOf } from '@hosting/core/audit'
import {
  appendAuditEvent,
  AuditSealer,
  makeAuditAnchor,
  verifyAuditChains,
} from '@hosting/postgres/audit'
import { openDatabase, type Database } from '@hosting/postgres/database'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { makeAuditEvent } from '../../packages/postgres/test/support/audit-event.ts'
import { serverSecret } from '../support/environment.ts'
import { startPgbouncer, type Pgbouncer } from '../support/pgbouncer.ts'
import { until } from '../support/until.ts'
import { patienceMs, promote, startPair } from './support/scene.ts'
import type { ServerPair } from './support/server-pair.ts'

const keys = auditKeysOf(undefined, [serverSecret])
const tenantId = randomUUID()

let pair: ServerPair
let pgbouncer: Pgbouncer
let database: Database

beforeAll(async () => {
  pair = await startPair()
  pgbouncer = await startPgbouncer(pair.databaseUrl)
  database = openDatabase(pgbouncer.url(pair.databaseUrl), {
    directUrl: pair.databaseUrl,
    onError: () => undefined,
  })
})
afterAll(async () => {
  await database?.close()
  await pgbouncer?.stop()
  await pair?.stop()
})

const append = (): Promise<void> => appendAuditEvent(database.prisma, makeAuditEvent(tenantId))

test('behind PgBouncer, a worker seals on after a failover that lost commits, and the audit log says so', async () => {
  const sealer = new AuditSealer(database, keys)
  await append()
  expect(await sealer.seal()).toBe(1)
  await until(
    () => pair.standby.ask<{ count: string }>('SELECT count(*) FROM audit_chain'),
    ({ count }) => count === '1',
  )
  pair.stream.silence({ connections: 'all' })
  await append()
  expect(await sealer.seal()).toBe(1)
  const anchor = await makeAuditAnchor(database, keys)
  await pair.primary.kill()
  await promote(pair.standby)
  await until(
    () =>
      append().then(
        () => true,
        () => false,
      ),
    Boolean,
    patienceMs,
  )

  await until(
    () => sealer.seal(),
    (sealed) => sealed > 0,
    patienceMs,
  )
  expect(sealer.broken.size).toBe(0)
  while ((await sealer.seal()) > 0);
  const { errors, setBacks } = await verifyAuditChains(database, keys, [anchor])
  expect(errors).toEqual([])
  expect(setBacks).toEqual([{ tenantId, occurredAt: expect.any(Date), from: 2n, until: 2n }])
})
