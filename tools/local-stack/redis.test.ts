import { beforeEach, describe, expect, test } from '@jest/globals'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { run } from './process.ts'

/** A folder that is the whole PATH. */
let folder = ''
beforeEach(() => {
  folder = makeTemporaryFolder()
})

async function makeProgram(name: string, script = ''): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, `#!/bin/sh\n${script}\n`)
  await chmod(file, 0o755)
  return file
}

/** The log, and the program or the failure at its end. Another process runs it, because its PATH differs. */
async function find(): Promise<string[]> {
  const script = `
    import { findRedis } from ${JSON.stringify(new URL('redis.ts', import.meta.url))}
    console.log(await findRedis(console.log).catch((error) => error.message))`
  const args = ['--input-type=module', '--eval', script]
  const { stdout } = await run(process.execPath, args, { env: { PATH: folder } })
  return stdout.trimEnd().split('\n')
}

describe('a machine without Redis', () => {
  test('installs it with apt-get, and announces it', async () => {
    const redis = join(folder, 'redis-server')
    await makeProgram('apt-get')
    await makeProgram('sudo', 'shift; exec "$@"')
    // apt-get is started through flock.
    await makeProgram(
      'flock',
      `case "$*" in *' apt-get '*' install '*' redis-server') : > "${redis}"; /bin/chmod 755 "${redis}";; esac`,
    )
    expect(await find()).toEqual([
      'Redis is not installed (set REDIS_URL to use a server that runs elsewhere)',
      expect.stringMatching(/^Installing the Debian package redis-server with (sudo )?apt-get$/),
      redis,
    ])
  })

  test('prints why apt-get failed, and in one line what to install', async () => {
    expect((await find()).slice(1)).toEqual([
      'apt-get could not install redis-server: no apt-get',
      expect.stringMatching(/^Redis is not installed: .*apt-get.*brew.*docker compose.*$/),
    ])
  })
})

test('an installed Redis is used without a message', async () => {
  const installed = await makeProgram('valkey-server')
  expect(await find()).toEqual([installed])
})
