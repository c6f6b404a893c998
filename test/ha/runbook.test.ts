import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { migrate } from '../../tools/migrations.ts'
import { startPgpool } from '../support/pgpool.ts'
import { readCommandBlocks, readRunbook } from '../support/runbook.ts'
import { until } from '../support/until.ts'
import {
  makeComposePair,
  type ComposeNode,
  type ComposePair,
} from './support/compose/compose-pair.ts'
import { startInstallation } from './support/installation.ts'
import { startScene, tryReplacements, untilRefused, type Scene } from './support/scene.ts'

const page = 'high-availability'
const documented = 'old=postgres new=postgres2'

let pair: ComposePair
let scene: Scene

beforeAll(async () => {
  pair = await makeComposePair()
  for (const block of readCommandBlocks('Set up', page)) await pair.run(block)
})
afterEach(() => scene?.close())
afterAll(() => pair?.stop())

/** Runs the commands of a section, with these servers. */
async function follow(heading: string, old: ComposeNode, other: ComposeNode): Promise<void> {
  const [names, ...blocks] = readCommandBlocks(heading, page)
  expect(names!.trim()).toBe(documented)
  for (const block of blocks) await pair.run(`old=${old} new=${other}\n${block}`)
}

/** Waits until "Check" shows that one server follows the other. */
async function check(primary: ComposeNode, standby: ComposeNode): Promise<void> {
  const expected = [
    `${primary} is a primary|commits wait for ANY 1 (postgres, postgres2)`,
    `${standby} is a standby|commits wait for ANY 1 (postgres, postgres2)`,
    `${standby}|streaming|quorum|`,
    `${standby}|t|reserved`,
  ]
  await until(
    () => pair.run(readCommandBlocks('Check', page).join('\n')),
    (shown) => expected.every((line) => shown.includes(line)) && !shown.includes(`${primary}|`),
  )
}

test('behind Pgpool-II with load_balance_mode = off a database with a standby is migrated, and everything accepted is delivered', async () => {
  expect(readRunbook()).toMatch(/Pgpool-II needs\s+`load_balance_mode = off`/)
  const servers = [pair.urlOf('postgres'), pair.urlOf('postgres2')] as const
  const pgpool = await startPgpool(servers, 'hosting_check')
  try {
    const url = pgpool.url(servers[0])
    await migrate(url)
    await tryInstallation(url)
  } finally {
    await pgpool.stop()
  }
})

async function tryInstallation(databaseUrl: string): Promise<void> {
  const installation = await startInstallation(databaseUrl)
  try {
    await installation.accepts(100)
    const figures = await installation.settle()
    expect(figures).toMatchObject({ undelivered: 0, skipped: 0, notAccepted: 0 })
  } finally {
    await installation.close()
  }
}

test('its commands set up a standby, switch over and fail over under load, and nothing is lost', async () => {
  await migrate(pair.databaseUrl)
  await check('postgres', 'postgres2')
  scene = await startScene(pair.databaseUrl)
  await tryReplacements('a switchover and a failover by the runbook', scene, {
    switchedOver: {
      replace: () => follow('Planned switchover', 'postgres', 'postgres2'),
      restore: () => check('postgres2', 'postgres'),
    },
    failedOver: {
      async replace() {
        await pair.kill('postgres2')
        await untilRefused(scene)
        await follow('Failover', 'postgres2', 'postgres')
      },
      restore: () => check('postgres', 'postgres2'),
    },
  })
})
