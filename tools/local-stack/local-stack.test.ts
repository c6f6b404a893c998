import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { askPostgres, askRedis } from './ask-server.ts'
import { startPostgres } from './postgres.ts'
import { commandOf, run, stopProcess, type StopSignals } from './process.ts'
import { startRedis } from './redis.ts'
import type { RunningServer, ServerOptions } from './server.ts'

const STOP_SIGNALS: StopSignals = [
  ['SIGINT', 10_000],
  ['SIGKILL', 5000],
]

const folders: string[] = []
const started: { pid: number; command: string | undefined }[] = []

afterEach(async () => {
  for (const { pid, command } of started.splice(0)) {
    // The id of an ended process may have been reused.
    const isOurs = command !== undefined && (await commandOf(pid)) === command
    if (isOurs) await stopProcess(pid, STOP_SIGNALS)
  }
  for (const folder of folders.splice(0)) {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})

describe.each([
  { name: 'PostgreSQL', file: 'postgres.ts', start: startPostgres, ask: askPostgres },
  { name: 'Redis', file: 'redis.ts', start: startRedis, ask: askRedis },
])('$name', ({ file, start, ask }) => {
  test('it accepts clients with its password on 127.0.0.1', async () => {
    const server = await begin(await makeFolder())
    expect(new URL(server.url()).hostname).toBe('127.0.0.1')
    await ask.write(server.url(), 'hello')
    expect(await ask.read(server.url())).toBe('hello')
    const stranger = new URL(server.url())
    stranger.password = 'guess'
    await expect(ask.read(stranger.href)).rejects.toThrow(/password/i)
  })

  test('its URL names the requested database', async () => {
    const server = await begin(await makeFolder())
    expect(new URL(server.url('7')).pathname).toBe('/7')
  })

  test('stop leaves no process and can be repeated', async () => {
    const server = await begin(await makeFolder())
    const pid = await ask.pid(server.url())
    expect(await commandOf(pid)).toBeDefined()
    await Promise.all([server.stop(), server.stop()])
    expect(await commandOf(pid)).toBeUndefined()
  })

  test('the next start has the same data at the same address', async () => {
    const folder = await makeFolder()
    const first = await begin(folder)
    await ask.write(first.url(), 'kept')
    await first.stop()
    const second = await begin(folder)
    expect(second.url()).toBe(first.url())
    expect(await ask.read(second.url())).toBe('kept')
  })

  test('the next start has the data of a server that was killed', async () => {
    const folder = await makeFolder()
    const first = await begin(folder)
    await ask.write(first.url(), 'kept')
    process.kill(await ask.pid(first.url()), 'SIGKILL')
    const second = await begin(folder)
    expect(await ask.read(second.url())).toBe('kept')
  })

  test('the next start replaces a server whose starter was killed', async () => {
    const folder = await makeFolder()
    const { url, kill } = await beginElsewhere({ file, start }, folder)
    await ask.write(url, 'kept')
    const orphan = await ask.pid(url)
    await endLater(orphan)
    await kill()
    expect(await commandOf(orphan)).toBeDefined()
    const server = await begin(folder)
    expect(await commandOf(orphan)).toBeUndefined()
    expect(await ask.read(server.url())).toBe('kept')
  })

  test('a second start is refused and does not affect the running one', async () => {
    const folder = await makeFolder()
    const { url, kill } = await beginElsewhere({ file, start }, folder)
    await endLater(await ask.pid(url))
    await ask.write(url, 'mine')
    await expect(begin(folder)).rejects.toThrow(/already running here as process \d+/i)
    expect(await ask.read(url)).toBe('mine')
    await kill()
  })

  test('a process that reuses the id of a dead server is not affected', async () => {
    const folder = await makeFolder()
    await (await begin(folder)).stop()
    const bystander = spawn('sleep', ['60'])
    await endLater(bystander.pid!)
    await writeFile(await ask.pidFile(folder), `${bystander.pid}\n`)
    const server = await begin(folder)
    await ask.write(server.url(), 'hello')
    expect(await commandOf(bystander.pid!)).toBe('sleep 60')
  })

  test('a copy of the folder has its own server, with the data', async () => {
    const folder = await makeFolder()
    const copy = join(await makeFolder(), 'copy')
    const first = await begin(folder)
    await ask.write(first.url(), 'copied')
    await first.stop()
    await run('cp', ['-a', folder, copy])
    const { url, kill } = await beginElsewhere({ file, start }, folder)
    await endLater(await ask.pid(url))
    await run('cp', [await ask.pidFile(folder), await ask.pidFile(copy)])
    await run('cp', [join(folder, file.replace('.ts', '.owner')), copy])
    const second = await begin(copy)
    expect(await ask.read(second.url())).toBe('copied')
    expect(await ask.read(url)).toBe('copied')
    await kill()
  })

  test('two folders have separate servers', async () => {
    const [one, other] = await Promise.all([begin(await makeFolder()), begin(await makeFolder())])
    expect(new URL(one.url()).port).not.toBe(new URL(other.url()).port)
    await ask.write(one.url(), 'one')
    await ask.write(other.url(), 'other')
    expect(await ask.read(one.url())).toBe('one')
  })

  test('a server that cannot start is reported with the end of its log', async () => {
    const folder = await makeFolder()
    const server = await begin(folder)
    const pid = await ask.pid(server.url())
    await server.stop()
    await ask.spoil(folder)
    await expect(begin(folder)).rejects.toThrow(ask.complaint)
    expect(await commandOf(pid)).toBeUndefined()
  })

  const begin = (directory: string) => beginWith(start, directory)
})

const rootTest = process.getuid?.() === 0 ? test : test.skip

describe('in a folder that only root may enter', () => {
  rootTest('PostgreSQL has its data elsewhere, and new data once that link is gone', async () => {
    const folder = await makeFolder(0o700)
    const first = await beginWith(startPostgres, folder)
    await askPostgres.write(first.url(), 'kept')
    await first.stop()
    const second = await beginWith(startPostgres, folder)
    expect(await askPostgres.read(second.url())).toBe('kept')
    await second.stop()

    const link = dirname(await askPostgres.pidFile(folder))
    const elsewhere = await realpath(link)
    folders.push(dirname(elsewhere))
    expect(elsewhere.startsWith(folder)).toBe(false)
    await rm(link)
    const third = await beginWith(startPostgres, folder)
    await expect(askPostgres.read(third.url())).rejects.toThrow(/"note" does not exist/)
    await third.stop()
  })
})

async function beginWith(
  start: (options: ServerOptions) => Promise<RunningServer>,
  directory: string,
): Promise<RunningServer> {
  const server = await start({ directory, durable: true })
  const ask = start === startPostgres ? askPostgres : askRedis
  await endLater(await ask.pid(server.url()))
  return server
}

/** Also after a failed test. */
async function endLater(pid: number): Promise<void> {
  started.push({ pid, command: await commandOf(pid) })
}

/** By default a folder that PostgreSQL's own user may enter, in case the tests run as root. */
async function makeFolder(mode = 0o755): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'local-stack-')))
  folders.push(folder)
  await chmod(folder, mode)
  return folder
}

/** Starts the server from another process, which runs until it is killed. */
async function beginElsewhere(
  { file, start }: { file: string; start: { readonly name: string } },
  directory: string,
) {
  const script = `
    const { ${start.name} } = await import(${JSON.stringify(new URL(file, import.meta.url))})
    const server = await ${start.name}(${JSON.stringify({ directory, durable: true })})
    console.log(server.url())`
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await endLater(starter.pid!)
  const [line] = await once(starter.stdout, 'data')
  return { url: String(line).trim(), kill: () => killed(starter) }
}

async function killed(starter: ChildProcess): Promise<void> {
  const exit = once(starter, 'exit')
  starter.kill('SIGKILL')
  await exit
}
