import { loadConfig } from '@hosting/core/configuration'
import { verifyWebhook } from '@hosting/sdk'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { execFile, spawn } from 'node:child_process'
import { chmodSync, globSync, lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../tools/run.ts'
import { useApi } from '../support/api.ts'
import { interpolate, readCompose } from '../support/compose.ts'
import { serviceToken, testEnvironment } from '../support/environment.ts'
import { administerServer, emptyRedis } from '../support/own-stack.ts'
import { untilListening, type ServiceProcess } from '../support/processes.ts'
import { startReceiver } from '../support/receiver.ts'
import { readCommands } from '../support/runbook.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import {
  parseDockerfile,
  environmentIn,
  makeStages,
  type MadeStage,
} from './support/make-stages.ts'
import {
  downloadExecutable,
  elfMachines,
  installExecutable,
  machineOf,
} from './support/executables.ts'

const realApi = useApi()
const run = promisify(execFile)
const target = mkdtempSync(join(tmpdir(), 'hosting-image-'))
const databaseName = `hosting_image_${process.pid}`
const databaseUrl = new URL(testEnvironment()['DATABASE_URL']!)
databaseUrl.pathname = `/${databaseName}`

/** What a container may do to the files of its image: an arbitrary user may only read. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

let stages: Map<string, MadeStage> | undefined
const stage = (name: string): MadeStage => stages!.get(name)!

/** Replaces `.env`, and the host names that exist only in containers. */
const variables: Record<string, string> = {
  POSTGRES_PASSWORD: 'unused',
  POSTGRES_APP_PASSWORD: 'unused',
  ...testEnvironment(),
  OPS_TOKEN: 'a-token-of-operators',
  LOG_LEVEL: 'info',
  // The servers of tests do not wait for the disk, which the image refuses by default.
  REQUIRE_DURABILITY: 'false',
}
const addresses = {
  DATABASE_URL: databaseUrl.href,
  REDIS_URL: testEnvironment()['REDIS_URL']!,
  HOST: '127.0.0.1',
  INTERNAL_PORT: '0',
  PORT: '0',
}

/** The command of a service of docker-compose.yml, with its image's environment. */
function containerOf(service: string): {
  command: readonly string[]
  options: { cwd: string; env: Record<string, string>; uid?: number; gid?: number }
} {
  const { build, command, environment } = readCompose().services[service]!
  const made = stage(build!.target)
  const set = Object.entries(environment!).map(([name, value]) => [
    name,
    interpolate(String(value), variables),
  ])
  return {
    command: command ?? made.command,
    options: {
      cwd: made.folder,
      env: { ...environmentIn(made), ...Object.fromEntries(set), ...addresses },
      ...nobody,
    },
  }
}

/** Runs a container until it exits. */
async function runContainer(service: string, command?: readonly string[]): Promise<string> {
  const { command: own, options } = containerOf(service)
  const [program = '', ...args] = command ?? own
  const { stdout } = await run(program, args, options)
  return stdout
}

const versionOf = (workspace: string): string =>
  (JSON.parse(readFileSync(`${root}${workspace}/package.json`, 'utf8')) as { version: string })
    .version

const running: ServiceProcess[] = []

/** Starts a long-running container; returns it once it listens. */
async function startContainer(service: string): Promise<ServiceProcess> {
  const { command, options } = containerOf(service)
  const child = spawn(command[0]!, command.slice(1), options)
  const started = await untilListening(child, service)
  running.push(started)
  return started
}

beforeAll(async () => {
  chmodSync(target, 0o755)
  const stagesOfFile = parseDockerfile(readFileSync(`${root}Dockerfile`, 'utf8'))
  stages = makeStages(stagesOfFile, { source: root, target })
  for (const name of ['runtime', 'operations'])
    await run('chmod', ['-R', 'a-w,a+rX', stage(name).folder])
  await administerServer(`CREATE DATABASE ${databaseName}`)
  await emptyRedis(addresses.REDIS_URL)
})
afterAll(async () => {
  await Promise.all(running.map(({ stop }) => stop()))
  await administerServer(`DROP DATABASE IF EXISTS ${databaseName} WITH (FORCE)`)
  for (const { folder } of stages?.values() ?? []) await run('chmod', ['-R', 'u+w', folder])
  rmSync(target, { recursive: true, force: true })
})

/** The files of a stage, with their sizes. */
const filesOf = (name: string) =>
  globSync('**/*', { cwd: stage(name).folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return { path: path.slice(stage(name).folder.length + 1), bytes: lstatSync(path).size }
    })

const megabytes = (files: readonly { bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6

test('the image contains the compiled programs, and no sources, tools or development packages', () => {
  const files = filesOf('runtime')
  const paths = files.map(({ path }) => path)
  expect(paths).toContain('apps/api/dist/bundle/main.js')
  expect(paths).toContain('apps/worker/dist/bundle/main.js')
  const unwanted =
    /\.(ts|tsx|map)$|\.test\.|^(tools(?!\/msgpackr-extract\/)|prisma|test|docs)\/|node_modules\/(\.bin|prisma|typescript|jest|node-linux)/
  // The packages that customers download have their sources, and the executables are Node.
  const own = paths.filter((path) => !path.startsWith('apps/api/dist/site/packages/'))
  expect(own.filter((path) => unwanted.test(path))).toEqual([])
  process.stdout.write(`${describeSizes('runtime')}\n${describeSizes('operations')}\n`)
  // 24 MB at the time of writing. The limit detects a package that adds tens of megabytes.
  const isExecutable = ({ path }: { path: string }) => path.startsWith('apps/api/dist/binaries/')
  expect(megabytes(files.filter((file) => !isExecutable(file)))).toBeLessThan(40)
  expect(megabytes(files.filter(isExecutable))).toBeLessThan(100)
  expect(megabytes(filesOf('operations'))).toBeLessThan(120)
})

function describeSizes(name: string): string {
  const groups = Map.groupBy(
    filesOf(name),
    ({ path }) => /^(node_modules\/(?:@[^/]+\/)?[^/]+|[^/]+\/[^/]+)/.exec(path)?.[1] ?? path,
  )
  const parts = [...groups].map(([part, files]) => ({ part, size: megabytes(files) }))
  const largest = parts.toSorted((a, b) => b.size - a.size).slice(0, 8)
  const lines = largest.map(({ part, size }) => `  ${size.toFixed(1).padStart(5)} MB ${part}`)
  return [`${name}: ${megabytes(filesOf(name)).toFixed(1)} MB`, ...lines].join('\n')
}

test('no image contains a schema engine, its replacement or the Prisma CLI', () => {
  const unwanted =
    /schema[-_]engine|^prisma\.config|node_modules\/(\.bin|prisma|@prisma\/(engines|config|dev))\//
  for (const name of ['runtime', 'operations']) {
    expect(filesOf(name).filter(({ path }) => unwanted.test(path))).toEqual([])
  }
  expect(filesOf('operations').map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      'prisma/migrations/20261122193000_initial/migration.sql',
      'prisma/functions/uuid_v7.sql',
    ]),
  )
})

test('it runs as a numeric user other than root who cannot write its files', async () => {
  for (const name of ['runtime', 'operations']) {
    expect(stage(name).user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    const { folder } = stage(name)
    const touching = run('touch', ['new', 'apps/api/dist/bundle/main.js'], {
      cwd: folder,
      ...nobody,
    })
    await expect(touching).rejects.toThrow('Permission denied')
  }
})

test('the commands of operators work in their image', async () => {
  expect(await runContainer('migrate')).toContain('All migrations have been successfully applied')
  expect(await runContainer('migrate')).toContain('No pending migrations to apply')
  const reencrypted = await runContainer('operations', ['node', 'tools/reencrypt-secrets.ts'])
  expect(reencrypted).toContain('0 encrypted again')
})

test('the commands of the runbook set up the system of docker-compose.yml, and it delivers', async () => {
  const api = await startContainer('api')
  const worker = await startContainer('worker')
  const receiver = await startReceiver()
  const commands = readCommands('First organization').replace(
    /^receiver=.*$/m,
    `receiver=${receiver.url}`,
  )
  const { stdout } = await run('bash', ['-euc', commands], {
    cwd: mkdtempSync(join(tmpdir(), 'hosting-set-up-')),
    env: {
      PATH: process.env['PATH'],
      token: serviceToken,
      api: `http://127.0.0.1:${api.port}`,
      internal: `http://127.0.0.1:${api.internalPort}`,
    },
  })
  const request = await receiver.next()
  const secret = /whsec_[\w+/=-]+/.exec(stdout)![0]
  const signature = String(request.headers['service-signature'])
  expect(await verifyWebhook(request.body, signature, secret)).toMatchObject({
    type: 'site.created',
  })
  for (const port of [api.internalPort, worker.internalPort]) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`)
    expect(await ready.json()).toMatchObject({ status: 'ok' })
  }
  // The panel reads its assets by their path.
  const page = await fetch(`http://127.0.0.1:${api.port}/sign-in`)
  const style = /href="(\/assets\/[^"]+\.css)"/.exec(await page.text())![1]!
  expect((await fetch(`http://127.0.0.1:${api.port}${style}`)).status).toBe(200)
  await openOperatorsPages(worker.internalPort)
  await receiver.close()
})

/** These also read files by their path: the runbook, and the scripts of Bull Board. */
async function openOperatorsPages(port: number): Promise<void> {
  const authorization = `Basic ${Buffer.from(`ops:${variables['OPS_TOKEN']}`).toString('base64')}`
  const open = async (path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } })
    expect([path, response.status]).toEqual([path, 200])
    return await response.text()
  }
  for (const path of ['/operations', '/operations/runbook']) await open(path)
  const board = await open('/queues/')
  const scripts = [...board.matchAll(/src="([^"]+\.js)"/g)].map(([, script]) => script!)
  expect(scripts).not.toEqual([])
  for (const script of scripts) await open(new URL(script, 'http://board/queues/').pathname)
}

test('its executable of hctl for x64 needs no Node, and signs in', async () => {
  const [service] = running
  const tenant = await realApi.makeTenant()
  const person = await makeSignedIn(realApi, tenant)
  const content = await downloadExecutable(`http://127.0.0.1:${service!.port}`, 'linux-x64')
  const hctl = installExecutable(content, { HCTL_URL: realApi.url })
  expect((await hctl.run('--version')).trim()).toBe(versionOf('apps/cli'))
  expect(await hctl.run('--help')).toContain('Usage: hctl [options] [command]')
  await hctl.signIn(async (code) => {
    const body = { access: 'full' }
    await callWith(realApi, person)('post', `/auth/device/requests/${code}/approve`, { body })
  })
  expect(JSON.parse(await hctl.run('whoami', '--json'))).toMatchObject({
    user: { email: person.email },
  })
  rmSync(hctl.folder, { recursive: true })
})

test('its executables of hctl are for the machines that they name, with the same program', async () => {
  const [service] = running
  const url = `http://127.0.0.1:${service!.port}`
  const contents = await Promise.all(
    Object.keys(elfMachines).map((platform) => downloadExecutable(url, platform)),
  )
  expect(contents.map(machineOf)).toEqual(Object.values(elfMachines))
  const loader = readFileSync(`${root}tools/binaries/loader.cjs`)
  for (const content of contents) {
    // Node's marker says that there is a program, which is the loader.
    expect(content.includes('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1')).toBe(true)
    expect(content.includes(loader)).toBe(true)
  }
  const codes = contents.map((content) =>
    content.subarray(-8 - Number(content.readBigUInt64LE(content.length - 8))),
  )
  expect(codes[0]!.equals(codes[1]!)).toBe(true)
})

test('every container exits with 0 on SIGTERM', async () => {
  expect(await Promise.all(running.splice(0).map(({ stop }) => stop()))).toEqual([0, 0])
  expect(await runContainer('operations', ['node', 'tools/verify-audit.ts'])).toContain(
    ', 0 errors',
  )
})

test('the image has the Node that the tests run on', () => {
  const { from } = parseDockerfile(readFileSync(`${root}Dockerfile`, 'utf8'))[0]!
  expect(from).toBe(`node:${process.versions.node}-bookworm-slim`)
})

test('the configuration of the compose file is valid', () => {
  for (const service of ['api', 'worker'] as const) {
    expect(() => loadConfig(containerOf(service).options.env)).not.toThrow()
  }
})
