import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals'
import { rm } from 'node:fs/promises'
import { root } from '../../tools/run.ts'
import { readCommandBlocks } from '../support/runbook.ts'
import { runShell } from '../support/run-shell.ts'
import { startInstallation, type Installation } from './support/installation.ts'
import { startVersions, type Versions } from './support/versions.ts'

let versions: Versions
let installation: Installation

beforeEach(async () => {
  versions = await startVersions()
  await versions.migrateOld()
  installation = await startInstallation(versions.old())
})
afterEach(async () => {
  await installation?.close()
  await versions?.stop()
})
afterAll(() => rm(`${root}move.dump`, { force: true }))

/** Runs a block of commands of the document. */
const run = (commands: string): Promise<string> =>
  runShell(commands, root, {
    PATH: [versions.programs, process.env['PATH']].join(':'),
    OLD: versions.old(),
    NEW: versions.newest(),
  })

/** What holds after a move: everything accepted is delivered and in the event log, and the audit log verifies. */
async function requireWhole(): Promise<void> {
  await installation.accepts(100)
  const figures = await installation.settle()
  process.stdout.write(`${JSON.stringify(figures)}\n`)
  expect(figures).toMatchObject({ undelivered: 0, skipped: 0 })
  expect(await installation.verifyAudit(versions.newest())).toMatch(
    /^[1-9]\d* entries .* 0 errors$/m,
  )
}

test('a dump of PostgreSQL 15 in use, restored into 18 by the document, loses nothing', async () => {
  expect(await versions.majors()).toEqual([expect.any(Number), 18])
  await installation.accepts(100)
  await installation.stop()
  for (const block of readCommandBlocks('By dump and restore')) await run(block)
  await installation.start(versions.newest())
  await requireWhole()
})

test('PostgreSQL 15 in use moves to 18 by logical replication by the document, and loses nothing', async () => {
  const [logical, ...blocks] = readCommandBlocks('By logical replication')
  const [migrating, partitions, subscribing, dropping, raising] = blocks as [
    string,
    string,
    string,
    string,
    string,
  ]
  await run(logical!)
  await versions.restartOld()
  await run(migrating)
  await run(partitions)
  await run(subscribing)
  await installation.accepts(100)
  await installation.stop()
  await run(dropping)
  expect(await run(raising)).toContain('event_positions')
  await installation.start(versions.newest())
  await requireWhole()
})
