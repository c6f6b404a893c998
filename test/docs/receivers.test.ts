import { signatureHeader } from '@hosting/core/webhooks'
import { afterEach, describe, expect, test } from '@jest/globals'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { root } from '../../tools/run.ts'
import { needing, succeeds } from '../support/needing.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { provoke } from './strangers.ts'

const secret = `whsec_${btoa('test')}`
let running: ChildProcess | undefined
afterEach(async () => {
  if (!running?.pid) return
  const isRunning = running.exitCode === null && running.signalCode === null
  const ended = isRunning ? once(running, 'close') : undefined
  try {
    // The workers of PHP's server can outlive it.
    process.kill(-running.pid)
  } catch {
    // All of them have ended.
  }
  await ended
})

/** A program of the documentation: the command that runs it, and where. */
type Program = readonly [command: readonly string[], folder: string]

const node = (file: string): Program => [[process.execPath, `${root}${file}`], root]
const python = (file: string): Program => [['python3', '-B', `${root}${file}`], root]

function php(port: number): Program {
  const folder = makeTemporaryFolder()
  copyFileSync(`${root}docs/quickstart/php/receiver.php`, join(folder, 'receiver.php'))
  copyFileSync(`${root}docs/webhooks/verify.php`, join(folder, 'verify_webhook.php'))
  return [['php', '-S', `127.0.0.1:${port}`, 'receiver.php'], folder]
}

function go(): Program {
  const folder = makeTemporaryFolder()
  for (const name of ['receiver', 'webhooks']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'go.mod'), 'module quickstart\n\ngo 1.20\n')
  copyFileSync(`${root}docs/quickstart/go/receiver/main.go`, join(folder, 'receiver/main.go'))
  copyFileSync(`${root}docs/webhooks/verify.go`, join(folder, 'webhooks/verify.go'))
  const env = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local', GOWORK: 'off' }
  const [command, ...args] = ['go', 'build', '-o', 'run', './receiver'] as const
  const built = spawnSync(command, args, { cwd: folder, env })
  expect([built.status, String(built.stderr)]).toEqual([0, ''])
  return [[join(folder, 'run')], folder]
}

async function deliver(port: number): Promise<number> {
  const body =
    '{"id":"1","type":"site.created","created_at":"2026-11-28T00:00:00Z","tenant_id":"t","data":{}}'
  const header = signatureHeader(Buffer.from(body), [secret], Math.floor(Date.now() / 1_000))
  const response = await fetch(`http://127.0.0.1:${port}/webhooks`, {
    method: 'POST',
    headers: { 'service-signature': header },
    body,
    signal: AbortSignal.timeout(20_000),
  })
  return response.status
}

async function expectToSurvive(port: number, [[command, ...args], cwd]: Program): Promise<void> {
  const env = {
    PATH: process.env['PATH'],
    PORT: String(port),
    WEBHOOK_SECRET: secret,
    PYTHONPATH: `${root}clients/python`,
    // PHP's server would serve one connection at a time.
    PHP_CLI_SERVER_WORKERS: '4',
  }
  running = spawn(command!, args, { cwd, env, stdio: 'ignore', detached: true })
  await until(
    () => deliver(port).catch(() => 0),
    (status) => status === 204,
  )
  // PHP's development server reads the requests itself, and does not survive all of them (see the quickstart).
  const statuses = await provoke(port, '/webhooks', { onlyComplete: command === 'php' })
  expect(statuses.filter(([, status]) => status < 400 || status > 501)).toEqual([])
  expect([running.exitCode, await deliver(port)]).toEqual([null, 204])
}

describe('whatever strangers send, a receiver of the documentation lives and verifies', () => {
  test.each([
    ['of the TypeScript quickstart', node('docs/quickstart/typescript/receiver.ts')],
    ['of the TypeScript SDK', node('packages/sdk/examples/receive.ts')],
    ['of the Python quickstart', python('docs/quickstart/python/receiver.py')],
    ['of the Python client', python('clients/python/examples/receive.py')],
  ])('%s', async (_what, program) => expectToSurvive(await freePort(), program), 90_000)

  needing('PHP', succeeds(['php', '--version'])).test(
    'of the PHP quickstart',
    async () => {
      const port = await freePort()
      await expectToSurvive(port, php(port))
    },
    90_000,
  )

  needing('Go', succeeds(['go', 'version'])).test(
    'of the Go quickstart',
    async () => expectToSurvive(await freePort(), go()),
    180_000,
  )
})
