import { afterAll, beforeAll, expect } from '@jest/globals'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needing, succeeds } from '../../test/support/needing.ts'
import { startPostgres } from '../local-stack/postgres.ts'
import type { RunningServer } from '../local-stack/server.ts'
import { psqlCommand } from './summary.ts'

let folder: string
let server: RunningServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "psql of 'npm start'-"))
  server = await startPostgres({ directory: folder, durable: false })
}, 60_000)
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

needing('psql', succeeds(['psql', '--version'])).test(
  'the psql command that npm start prints opens the database without asking for a password',
  async () => {
    const { passwordFile } = server
    const command = psqlCommand({ databaseUrl: server.url(), passwordFile })
    expect(command).not.toContain(new URL(server.url()).password)
    const line = `${command} --no-password --tuples-only --command 'SELECT current_user'`
    const { stdout } = await promisify(execFile)('sh', ['-c', line])
    expect(stdout.trim()).toBe('postgres')
  },
)
