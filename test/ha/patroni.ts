import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { migrate } from '../../tools/migrations.ts'
import { members, startPatroni, type PatroniCluster } from './support/patroni/patroni.ts'
import {
  patienceMs,
  startScene,
  tryReplacements,
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
  const first = await patroni.settled()
  const second = members.find((member) => member !== first)!
  await tryReplacements('Patroni: the primary and its Patroni are killed; a switchover', scene, {
    failedOver: {
      async replace() {
        await patroni.kill(first)
        await untilRefused(scene)
      },
      async restore() {
        await patroni.start(first)
        expect(await patroni.settled()).toBe(second)
      },
      // It promotes after its `ttl`, 20 s.
      withinMs: patienceMs,
    },
    switchedOver: {
      replace: () => patroni.switchOver(second, first),
      restore: async () => expect(await patroni.settled()).toBe(first),
    },
  })
})
