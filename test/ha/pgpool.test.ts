import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { migrate } from '../../tools/migrations.ts'
import { startPgpool } from '../support/pgpool.ts'
import type { Pooler } from '../support/pooler.ts'
import { readCommandBlocks, readRunbook } from '../support/runbook.ts'
import { makeComposePair, type ComposePair } from './support/compose/compose-pair.ts'
import { startInstallation, type Installation } from './support/installation.ts'

let pair: ComposePair
let pgpool: Pooler
let databaseUrl: string
let installation: Installation

beforeAll(async () => {
  pair = await makeComposePair()
  for (const block of readCommandBlocks('Set up', 'high-availability')) await pair.run(block)
  const servers = [pair.urlOf('postgres'), pair.urlOf('postgres2')] as const
  pgpool = await startPgpool(servers, 'hosting_check')
  databaseUrl = pgpool.url(servers[0])
})
afterAll(async () => {
  await installation?.close()
  await pgpool?.stop()
  await pair?.stop()
})

test('behind Pgpool-II with load_balance_mode = off a database with a standby is migrated, and everything accepted is delivered', async () => {
  expect(readRunbook()).toMatch(/Pgpool-II needs\s+`load_balance_mode = off`/)
  await migrate(databaseUrl)
  installation = await startInstallation(databaseUrl)
  await installation.accepts(100)
  expect(await installation.settle()).toMatchObject({ undelivered: 0, skipped: 0, notAccepted: 0 })
})
