import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { tryFault } from './support/trial.ts'
import { readiness } from '../support/observe.ts'
import { until } from '../support/until.ts'
import {
  makeTemplate,
  measureReturn,
  patienceMs,
  promote,
  recordsLost,
  settle,
  startPairScene,
  untilRefused,
  type PairScene,
} from './support/scene.ts'

/** As docs/specification/requests.md#response-time promises. */
const answeredMsMax = 15_000

let scene: PairScene
beforeAll(makeTemplate)
afterEach(() => scene?.close())

test('a primary that is killed loses nothing that was accepted, lets no revoked key through, and deliveries go on without a restart', async () => {
  scene = await startPairScene()
  const { pair, revocations } = scene
  await pair.synchronize(pair.primary)
  const name = 'the primary is killed, the standby is synchronous'
  await tryFault(
    { name, workersHit: 2, publishersNotice: true, recordsLost },
    {
      ...scene,
      settle: () => settle(scene),
      async inject() {
        await revocations.reach(5)
        await pair.primary.kill()
        await untilRefused(scene)
        await promote(pair.standby)
        const returned = await measureReturn(scene)
        await revocations.reach(revocations.count() + 5)
        return returned
      },
    },
  )
})

test('while the standby does not confirm commits, publishes get 503 in time and nothing is accepted, and afterwards everything goes on', async () => {
  scene = await startPairScene()
  const { pair, load, system } = scene
  await pair.synchronize(pair.primary)
  const name = 'the synchronous standby does not answer'
  await tryFault(
    { name, workersHit: 0, publishersNotice: true },
    {
      ...scene,
      settle: () => settle(scene),
      async inject() {
        pair.stream.silence({ connections: 'all' })
        await untilRefused(scene)
        const accepted = load.figures.accepted.length
        await Promise.all([...system.apis, ...system.workers].map(untilNotWritable))
        expect(load.figures.accepted).toHaveLength(accepted)
        const refused = load.figures.notAccepted
        pair.stream.restore()
        const returned = await measureReturn(scene)
        const { slowestMs } = load.figures
        expect(slowestMs).toBeLessThanOrEqual(answeredMsMax)
        return { refused, slowestMs, ...returned }
      },
    },
  )
})

const untilNotWritable = (service: { readonly internalPort: number }) =>
  until(
    () => readiness(service),
    ({ status, checks }) => status === 503 && checks['database_writable'] === 'unavailable',
    patienceMs,
  )
