import { auditKeysOf } from '@hosting/core/audit'
import { makeAuditAnchor, verifyAuditChains } from '@hosting/postgres/audit'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { tryFault } from '../chaos/support/trial.ts'
import { callerOf } from '../support/caller.ts'
import { serverSecret } from '../support/environment.ts'
import { siteData } from '../support/events.ts'
import { until } from '../support/until.ts'
import {
  deliveredMsMax,
  makeTemplate,
  measureReturn,
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
beforeAll(makeTemplate)
afterEach(() => scene?.close())

test('after a failover to a standby that was behind, the repeats of the publishers fill what was lost, and the audit log says so and verifies', async () => {
  scene = await startPairScene()
  const { pair, load, revocations, system } = scene
  const name = 'the primary is killed, the standby is asynchronous and behind'
  await tryFault(
    { name, workersHit: 2, publishersNotice: true, recordsLost: Infinity, losesCommits: true },
    {
      ...scene,
      settle: () => settle(scene),
      async inject() {
        await revocations.reach(5)
        pair.stream.silence({ connections: 'all' })
        await load.accepts(eventsBehind)
        await untilSealed(scene)
        const anchor = await makeAuditAnchor(system.database, keys)
        await pair.primary.kill()
        await untilRefused(scene)
        await promote(pair.standby)
        const returned = await measureReturn(scene)
        expect(returned.deliveredMs).toBeLessThanOrEqual(deliveredMsMax)
        const lost = await findLost(scene)
        const known = lost.length
        expect(known).toBeGreaterThan(0)
        await repeat(scene)
        expect(await findLost(scene)).toEqual([])
        await revocations.reach(revocations.count() + 2)
        await untilSealed(scene)
        const { errors, setBacks } = await verifyAuditChains(system.database, keys, [anchor])
        expect(errors).toEqual([])
        expect(setBacks).toHaveLength(1)
        const [{ from, until: last }] = setBacks as [(typeof setBacks)[number]]
        return { ...returned, lostEvents: known, lostLinks: Number(last - from) + 1 }
      },
    },
  )
})

/** Waits until workers have sealed every entry of the audit log. */
const untilSealed = ({ system: { database } }: PairScene) =>
  until(
    async () =>
      (await database.pool.query<{ count: string }>('SELECT count(*) FROM audit_unsealed')).rows[0]!
        .count,
    (count) => count === '0',
  )

/** The accepted events that the database does not have. */
async function findLost({ system: { database, ledger } }: PairScene): Promise<string[]> {
  const ids = ledger.accepted.map(({ id }) => id)
  const { rows } = await database.pool.query<{ id: string }>(
    'SELECT id FROM unnest($1::uuid[]) AS accepted (id) WHERE id NOT IN (SELECT event_id FROM events)',
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** Publishes every accepted event again, as publishers do that keep their events: the same ids are accepted once. */
async function repeat({ system: { ledger, apis } }: PairScene): Promise<void> {
  const events = ledger.accepted.map((event) => ({ ...event, data: siteData }))
  const caller = callerOf(apis[0]!)
  for (let from = 0; from < events.length; from += batchSize) {
    const batch = events.slice(from, from + batchSize)
    await until(
      () => caller.callInternal('post', '/events', { events: batch }),
      ({ status }) => status === 202,
    )
  }
}
