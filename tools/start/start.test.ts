import { afterEach, describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { root } from '../run.ts'

const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

let checkouts: string[] = []
afterEach(() => {
  for (const folder of checkouts) rmSync(folder, { recursive: true, force: true })
  checkouts = []
})

/** A copy of the tools, and of the sources that they import, that has a data folder of its own. */
async function makeCheckout(): Promise<{ folder: string; local: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'start-')))
  checkouts.push(folder)
  chmodSync(folder, 0o755)
  for (const name of ['tools', 'package.json', 'packages/core/src']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return { folder, local: join(folder, '.local') }
}

/** Runs `npm start` until it ends by itself. */
async function start(folder: string, user: { uid?: number; gid?: number } = {}) {
  const child = spawn(process.execPath, ['tools/start.ts'], { cwd: folder, ...user })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, stdout, stderr }
}

const startOver = /To start over: rm -rf \.local\nThat deletes all local data/

describe('npm start with a damaged data folder exits immediately, and names the file and the remedy', () => {
  test.each([
    ['a truncated file', '{"serverSecret":"s3cret","opsT', 'it is not JSON'],
    ['an empty file', '', 'it is not JSON'],
    ['another document', '["s3cret"]', 'it does not hold what npm start stores'],
    ['an empty secret', '{"serverSecret":"","opsToken":"s3cret"}', 'it does not hold what'],
    ['an endpoint without a secret', '{"opsToken":"s3cret","webhook":{"id":"x"}}', 'it does not'],
  ])('%s as start.json', async (_what, content, error) => {
    const { folder, local } = await makeCheckout()
    mkdirSync(local)
    writeFileSync(join(local, 'start.json'), content)
    const { code, stdout, stderr } = await start(folder)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toContain(`${local}/start.json is damaged: ${error}`)
    expect(stdout).toMatch(startOver)
    // The file holds secrets.
    expect(stdout).not.toContain('s3cret')
  })

  test('a file as .local', async () => {
    const { folder, local } = await makeCheckout()
    writeFileSync(local, '')
    const { code, stdout } = await start(folder)
    expect(code).toBe(1)
    expect(stdout).toContain('.local cannot be used: it is a file')
    expect(stdout).toContain(`Path: ${local}`)
    expect(stdout).toMatch(startOver)
  })

  test('a folder that another user created', async () => {
    const { folder, local } = await makeCheckout()
    mkdirSync(local, { mode: 0o555 })
    const { code, stdout } = await start(folder, nobody)
    expect(code).toBe(1)
    expect(stdout).toContain('.local/start.owner cannot be used: permission denied.')
    expect(stdout).toContain('sudo chown -R "$(id -un)" .local')
    expect(stdout).toMatch(startOver)
  })
})
