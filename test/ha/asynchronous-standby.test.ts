import { auditKeysOf, type AuditAnchor } from '@hosting/core/audit'
import { makeAuditAnchor, verifyAuditChains } from '@hosting/postgres/audit'
import { afterEach, expect, test } from '@jest/globals'
import { bodyOf } from '../faults/clients/publishers.ts'
import { callerOf } from '../support/caller.ts'
import { environmentOn, serverSecret } from '../support/environment.ts'
import { until } from '../support/until.ts'
import { makeLostKeys } from './support/lost-keys.ts'
import type { System } from './support/system.ts'
import { tryFault } from './support/trial.ts'
import { runAuditVerify } from './support/verify-audit.ts'
import {
  measureReturn,
  patienceMs,
  promote,
  settle,
  startPairScene,
  untilRefused,
  type PairScene,
} from './support/scene.ts'

const keys = auditKeysOf(undefined, [serverSecret])
/** The events that are accepted while the standby gets nothing. */
const eventsBehind = 250
const batchSize = 100

let scene: PairScene
afterEach(() => scene?.close())

test('after a failover to a standby that was behind, the repeats of the publishers fill what was lost, revoked keys stay refused, and the audit log says so and verifies', async () => {
  scene = await startPairScene()
  const { pair, load, revocations, system } = scene
  const name = 'the primary is killed, the standby is asynchronous and behind'
  let anchor: AuditAnchor
  await tryFault(
    { name, workersHit: 2, publishersNotice: true, recordsLost: Infinity, losesCommits: true },
    {
      ...scene,
      async inject() {
        await revocations.reach(5)
        // A key that is created while the standby gets nothing is lost with its revocation.
        await revocations.stop()
        const lostKeys = await makeLostKeys(system)
        pair.stream.silence({ connections: 'all' })
        await Promise.all([load.accepts(eventsBehind), lostKeys.change()])
        await untilSealed(scene)
        anchor = await makeAuditAnchor(system.database, keys)
        await pair.primary.kill()
        await untilRefused(scene)
        await promote(pair.standby)
        const [returned, found] = await Promise.all([measureReturn(scene), lostKeys.check()])
        expect(found.letIn).toBe(0)
        return { ...returned, keysRevokedAgain: found.revokedAgain, keysSetBack: found.setBack }
      },
      settle: async () => ({
        ...(await fillEvents(scene)),
        ...(await verifyAudit(scene, anchor)),
        ...(await settle(scene)),
      }),
    },
  )
})

/** Publishes what was accepted again, and returns how much of it was lost. */
async function fillEvents({ system }: PairScene) {
  const lost = await findLost(system)
  expect(lost.length).toBeGreaterThan(0)
  await repeat(system)
  const missing = await findLost(system)
  expect(missing).toEqual([])
  expect(await system.drain()).toBe(0)
  return { lostEvents: lost.length, missing: missing.length }
}

/** Verifies the chains, which name what was lost. The anchor was made before the failover. */
async function verifyAudit(of: PairScene, anchor: AuditAnchor) {
  await untilSealed(of)
  const { errors, setBacks } = await verifyAuditChains(of.system.database, keys, [anchor])
  expect(errors).toEqual([])
  expect(setBacks).toHaveLength(1)
  const [{ from, until: last }] = setBacks as [(typeof setBacks)[number]]
  const settings = { DATABASE_URL: of.pair.databaseUrl, REDIS_URL: 'redis://127.0.0.1' }
  const report = await runAuditVerify(environmentOn(settings))
  expect(report).toMatch(new RegExp(`a failover .* lost the links ${from} to ${last} of the `))
  expect(report).toMatch(/ 0 errors$/m)
  return { auditErrors: errors.length, lostLinks: Number(last - from) + 1 }
}

/** Waits until workers have sealed every entry of the audit log. */
const untilSealed = ({ system: { database } }: PairScene) =>
  until(
    async () =>
      (await database.pool.query<{ count: string }>('SELECT count(*) FROM audit_unsealed')).rows[0]!
        .count,
    (count) => count === '0',
    patienceMs,
  )

/** The accepted events that the database does not have. */
async function findLost({ database, tally }: System): Promise<string[]> {
  const ids = tally().accepted.map(({ id }) => id)
  const { rows } = await database.pool.query<{ id: string }>(
    'SELECT id FROM unnest($1::uuid[]) AS accepted (id) WHERE id NOT IN (SELECT event_id FROM events)',
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** Publishes every accepted event again, as publishers do that keep their events: the same ids are accepted once. */
async function repeat({ tally, apis }: System): Promise<void> {
  const events = tally().accepted
  const caller = callerOf(apis[0]!)
  for (let from = 0; from < events.length; from += batchSize) {
    const batch = events.slice(from, from + batchSize)
    await until(
      () => caller.callInternal('post', '/events', bodyOf(batch)),
      ({ status }) => status === 202,
      patienceMs,
    )
  }
}
