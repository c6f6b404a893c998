import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { migrate } from '../../tools/migrations.ts'
import { tryFault } from './support/trial.ts'
import { members, startPatroni, type PatroniCluster } from './support/patroni/patroni.ts'
import {
  measureReturn,
  recordsLost,
  settle,
  startScene,
  untilRefused,
  type Scene,
} from './support/scene.ts'

let patroni: PatroniCluster
let scene: Scene

beforeAll(async () => {
  patroni = await startPatroni()
  await migrate(patroni.databaseUrl)
})
afterEach(() => scene?.close())
afterAll(() => patroni?.stop())

test('Patroni replaces a primary that is killed, takes it back, and switches over, and nothing is lost', async () => {
  scene = await startScene(patroni.databaseUrl)
  const { load, revocations } = scene
  const name = 'Patroni: the primary and its Patroni are killed; a switchover'
  const fault = { name, workersHit: 4, publishersNotice: true, recordsLost: 2 * recordsLost }
  await tryFault(fault, {
    ...scene,
    settle: () => settle(scene),
    async inject() {
      await revocations.reach(3)
      const first = await patroni.settled()
      const second = members.find((member) => member !== first)!
      await patroni.kill(first)
      await untilRefused(scene)
      const failedOver = await measureReturn(scene)

      await patroni.start(first)
      expect(await patroni.settled()).toBe(second)
      await load.accepts(60)
      await patroni.switchOver(second, first)
      const switchedOver = await measureReturn(scene)
      expect(await patroni.settled()).toBe(first)
      await revocations.reach(revocations.count() + 3)
      return { failedOver, switchedOver }
    },
  })
})
