import { beforeAll, describe, expect, test } from '@jest/globals'
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { root } from '../../tools/run.ts'
import { startReceiver } from '../support/receiver.ts'
import { until, useStack } from '../support/stack.ts'

const stack = useStack({ WEBHOOK_RETRY_DELAYS_SECONDS: '1' })
const run = promisify(execFile)
const programs = `${root}docs/quickstart`

beforeAll(() => stack.startWorker())

/** A program of a quickstart: the command and its arguments. */
type Program = readonly [command: string, ...args: string[]]

/** How a language's quickstart runs in a folder. */
interface Language {
  readonly name: string
  /** Succeeds if the language is installed. */
  readonly probe: Program
  /** Puts into the folder what the quickstart says. */
  prepare(folder: string): Promise<void> | void
  readonly create: Program
  receiver(port: number): Program
}

async function download(folder: string, name: string): Promise<void> {
  const response = await fetch(`${stack.api.url}/downloads/${name}`)
  writeFileSync(join(folder, name), Buffer.from(await response.arrayBuffer()))
}

const copyPrograms = (language: string, folder: string): void =>
  cpSync(join(programs, language), folder, { recursive: true })

const languages: readonly Language[] = [
  {
    name: 'TypeScript',
    probe: [process.execPath, '--version'],
    prepare(folder) {
      copyPrograms('typescript', folder)
      // test/docs/downloads.test.ts shows that the downloaded package can be installed instead.
      cpSync(`${root}packages/sdk`, join(folder, 'node_modules/@hosting/sdk'), { recursive: true })
      cpSync(`${root}node_modules/openapi-fetch`, join(folder, 'node_modules/openapi-fetch'), {
        recursive: true,
      })
      const helpers = 'node_modules/openapi-typescript-helpers'
      cpSync(root + helpers, join(folder, helpers), { recursive: true })
    },
    create: [process.execPath, 'create-endpoint.ts'],
    receiver: () => [process.execPath, 'receiver.ts'],
  },
  {
    name: 'Python',
    probe: ['python3', '-c', 'import sys; assert sys.version_info >= (3, 9)'],
    prepare(folder) {
      copyPrograms('python', folder)
      // test/clients/clients.test.ts shows that pip installs the downloaded package.
      cpSync(`${root}clients/python/hosting_sdk`, join(folder, 'hosting_sdk'), { recursive: true })
    },
    create: ['python3', '-B', 'create_endpoint.py'],
    receiver: () => ['python3', '-B', 'receiver.py'],
  },
  {
    name: 'PHP',
    probe: ['php', '--version'],
    async prepare(folder) {
      copyPrograms('php', folder)
      await download(folder, 'verify_webhook.php')
    },
    create: ['php', 'create-endpoint.php'],
    receiver: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    prepare(folder) {
      copyPrograms('go', folder)
      mkdirSync(join(folder, 'webhooks'))
      copyFileSync(`${root}docs/webhooks/verify.go`, join(folder, 'webhooks/verify.go'))
      writeFileSync(join(folder, 'go.mod'), 'module quickstart\n\ngo 1.20\n')
    },
    create: ['go', 'run', './create'],
    receiver: () => ['./program'],
  },
]

function testIn(name: string, [command, ...args]: Program): typeof test.skip {
  if (spawnSync(command, args).status === 0) return test
  process.stderr.write(
    `\nNOT TESTED: the quickstart in ${name}, for there is no ${command} here\n\n`,
  )
  return test.skip
}

const environment = () => ({
  PATH: process.env['PATH']!,
  HOME: process.env['HOME']!,
  HCTL_URL: stack.api.url,
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  GOWORK: 'off',
})

/** Reads `NAME=value` lines. */
const variablesOf = (printed: string): Record<string, string> =>
  Object.fromEntries(
    [...printed.matchAll(/^(\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
  )

/** Waits for a line of a program. */
async function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  const printed: string[] = []
  const lines = [child.stdout!, child.stderr!].map(
    (input) =>
      new Promise<string>((resolve, reject) => {
        createInterface(input)
          .on('line', (line) => {
            printed.push(line)
            if (pattern.test(line)) resolve(line)
          })
          .once('close', () => reject(new Error(printed.join('\n'))))
      }),
  )
  return Promise.any(lines)
}

async function listens(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}`).then(
    () => true,
    () => false,
  )
}

const shell = (name: string, variables: Record<string, string>) =>
  run('sh', [join(programs, `curl/${name}`)], { env: { ...environment(), ...variables } })

describe('the programs of the quickstarts receive an event', () => {
  for (const language of languages) {
    testIn(language.name, language.probe)(
      language.name,
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'hosting-quickstart-'))
        await language.prepare(folder)
        const { token } = await (
          await stack.api.makeTenant()
        ).makeKey({ scopes: ['webhooks:write'] })
        const port = await freePort()
        const variables = {
          HCTL_TOKEN: token,
          WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks`,
          PORT: String(port),
        }
        const [command, ...args] = language.create
        const env = { ...environment(), ...variables }
        const { stdout } = await run(command, args, { cwd: folder, env })
        const created = variablesOf(stdout)
        expect(created).toEqual({
          WEBHOOK_ID: expect.any(String),
          WEBHOOK_SECRET: expect.stringMatching(/^whsec_/),
        })

        if (language.name === 'Go') {
          await run('go', ['vet', './...'], { cwd: folder, env })
          await run('go', ['build', '-o', 'program', './receiver'], { cwd: folder, env })
        }
        const [program, ...rest] = language.receiver(port)
        const receiver = spawn(program, rest, { cwd: folder, env: { ...env, ...created } })
        try {
          const received = lineOf(receiver, /site\.created [0-9a-f-]{36}/)
          await until(() => listens(port), Boolean)
          const sent = JSON.parse(
            (await shell('send-event.sh', { ...variables, ...created })).stdout,
          )
          expect(await received).toContain(sent.delivery.event.id)
          await until(
            async () => {
              const list = await shell('list-deliveries.sh', { ...variables, ...created })
              return JSON.parse(list.stdout).items[0].status as string
            },
            (status) => status === 'succeeded',
          )
          const forged = await fetch(`http://127.0.0.1:${port}/webhooks`, {
            method: 'POST',
            headers: { 'service-signature': `t=${Math.floor(Date.now() / 1_000)},v1=00` },
            body: '{}',
          })
          expect(forged.status).toBe(400)
        } finally {
          receiver.kill()
          await once(receiver, 'close')
          rmSync(folder, { recursive: true, force: true })
        }
      },
      180_000,
    )
  }

  test('curl, with a signature that the shell verifies', async () => {
    const receiver = await startReceiver()
    const { token } = await (await stack.api.makeTenant()).makeKey({ scopes: ['webhooks:write'] })
    const variables = { HCTL_TOKEN: token, WEBHOOK_URL: receiver.url }
    const created = JSON.parse((await shell('create-endpoint.sh', variables)).stdout)
    await shell('send-event.sh', { ...variables, WEBHOOK_ID: created.webhook.id })
    const { headers, body } = await receiver.next()
    await receiver.close()

    const folder = mkdtempSync(join(tmpdir(), 'hosting-quickstart-'))
    const verify = async (text: Buffer | string) => {
      writeFileSync(join(folder, 'body.json'), text)
      const env = {
        ...environment(),
        WEBHOOK_SECRET: created.secret as string,
        SIGNATURE: String(headers['service-signature']),
      }
      return (
        await run('sh', [join(programs, 'curl/verify.sh')], { cwd: folder, env })
      ).stdout.trim()
    }
    expect([await verify(body), await verify(`${body.toString()} `)]).toEqual([
      'genuine',
      'refused',
    ])
    rmSync(folder, { recursive: true, force: true })
  })
})
