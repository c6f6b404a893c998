import { afterEach, expect, test } from '@jest/globals'
import { writeFile } from 'node:fs/promises'
import { tryFault } from './support/trial.ts'
import { readiness } from '../support/observe.ts'
import { until } from '../support/until.ts'
import { drawFailover, isReachability } from './support/failover-picture.ts'
import { startSamples, type Samples } from './support/samples.ts'
import {
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
afterEach(() => scene?.close())

test('a primary that is killed loses nothing that was accepted, lets no revoked key through, shows in the metrics of every process, and deliveries go on without a restart', async () => {
  scene = await startPairScene()
  const { pair, revocations } = scene
  await pair.synchronize(pair.primary)
  const samples = startSamples(scene.system)
  const name = 'the primary is killed, the standby is synchronous'
  await tryFault(
    { name, workersHit: 2, publishersNotice: true, recordsLost },
    {
      ...scene,
      settle: () => settle(scene),
      async inject() {
        await revocations.reach(5)
        samples.mark('killed')
        await pair.primary.kill()
        await untilRefused(scene)
        await untilShown(samples, 0)
        await promote(pair.standby)
        samples.mark('promoted')
        const returned = await measureReturn(scene)
        await revocations.reach(revocations.count() + 5)
        await untilShown(samples, 1)
        await samples.stop()
        await drawPicture(samples)
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

/** Waits until all processes show this value of `hosting_database_up`. */
const untilShown = (samples: Samples, value: 0 | 1) =>
  until(
    async () => samples.gauge(isReachability, samples.now()),
    (values) => values.every((each) => each === value),
    patienceMs,
  )

/** Draws the metrics of the processes if `FAILOVER_PICTURE` names a file. */
async function drawPicture(samples: Samples): Promise<void> {
  const file = process.env['FAILOVER_PICTURE']
  if (file) await writeFile(file, drawFailover(samples))
}

const untilNotWritable = (service: { readonly internalPort: number }) =>
  until(
    () => readiness(service),
    ({ status, checks }) => status === 503 && checks['database_writable'] === 'unavailable',
    patienceMs,
  )
