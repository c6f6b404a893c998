import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { receive } from '../../docs/webhooks/verify.ts'
import { root } from '../../tools/run.ts'
import { readVectors, type Vector } from './vectors.ts'
import { needing, succeeds } from '../support/needing.ts'

const guide = join(root, 'docs', 'webhooks')
const drivers = join(root, 'test', 'guide', 'drivers')
const vectors = readVectors()
const expected = vectors.map(({ name, accepted }) => ({ name, accepted }))

/** Runs a program until it exits, and returns its output. */
function run([command, ...args]: readonly [string, ...string[]], cwd = root): string {
  // All dependencies are installed: nothing is downloaded.
  const env = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local', GOWORK: 'off' }
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed: ${stdout}${stderr}`, { cause: error })
  return stdout
}

const named = (printed: string): object[] =>
  (JSON.parse(printed) as boolean[]).map((accepted, at) => ({ name: vectors[at]?.name, accepted }))

describe('the code of the guide verifies every vector correctly', () => {
  needing(
    'Python 3.9',
    succeeds(['python3', '-c', 'import sys; assert sys.version_info >= (3, 9)']),
  ).test('Python', () => {
    const command = ['python3', '-B', join(drivers, 'driver.py'), guide] as const
    expect(named(run(command))).toEqual(expected)
  })

  needing('PHP', succeeds(['php', '--version'])).test('PHP', () => {
    expect(named(run(['php', join(drivers, 'driver.php'), guide]))).toEqual(expected)
  })

  needing('Ruby', succeeds(['ruby', '--version'])).test('Ruby', () => {
    expect(named(run(['ruby', join(drivers, 'driver.rb'), guide]))).toEqual(expected)
  })

  describe('as a module', () => {
    let module = ''
    beforeAll(() => {
      module = mkdtempSync(join(tmpdir(), 'hosting-guide-'))
      mkdirSync(join(module, 'webhooks'))
      writeFileSync(join(module, 'go.mod'), 'module guide\n\ngo 1.20\n')
      copyFileSync(join(guide, 'verify.go'), join(module, 'webhooks', 'verify.go'))
      copyFileSync(join(drivers, 'driver.go'), join(module, 'main.go'))
    })
    afterAll(() => rmSync(module, { recursive: true, force: true }))

    needing('Go', succeeds(['go', 'version'])).test(
      'Go',
      () => {
        run(['go', 'vet', './...'], module)
        expect(named(run(['go', 'run', '.', guide], module))).toEqual(expected)
      },
      // The first run compiles the parts of the standard library that it uses.
      180_000,
    )
  })

  test('TypeScript', async () => {
    const results = vectors.map(async (vector) => ({
      name: vector.name,
      accepted: await isAccepted(vector),
    }))
    expect(await Promise.all(results)).toEqual(expected)
  })
})

/** A signed body that is not JSON is refused after its signature was accepted. */
async function isAccepted({ body, header, secrets, now }: Vector): Promise<boolean> {
  try {
    const options = { now: () => now * 1_000 }
    const received = await receive(Buffer.from(body), header, secrets, options)
    return 'event' in received || received.refused === 'body_not_json'
  } catch (error) {
    // The SDK throws this for an empty secret.
    if (error instanceof TypeError) return false
    throw error
  }
}
