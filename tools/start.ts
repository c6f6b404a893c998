// `npm start`: runs the whole system on this machine until Ctrl-C. Its data is in `.local/`.
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { owning } from './local-stack/owner.ts'
import { root } from './run.ts'
import { toEnvironment, toMigrationEnvironment } from './start/environment.ts'
import { explainFailure, explainMigration } from './start/failure.ts'
import { callWith } from './start/http.ts'
import { openStartState } from './start/start-state.ts'
import { runUntilEnded, type Lifetime } from './start/lifetime.ts'
import { readStartOptions } from './start/options.ts'
import { startPlatform } from './start/platform.ts'
import { startMailbox } from './start/mailbox.ts'
import { say } from './start/say.ts'
import { startServers } from './start/servers.ts'
import { startServices, stopLeftoverServices } from './start/services.ts'
import { nextSteps, summarize } from './start/summary.ts'
import { together } from './start/together.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** The data folder of this checkout. */
const directory = join(await realpath(root), '.local')

process.exitCode = await runUntilEnded((lifetime) =>
  start(lifetime).catch((error: unknown) => {
    throw explainFailure(error, directory)
  }),
)

async function start(lifetime: Lifetime): Promise<void> {
  const options = await readStartOptions(process.argv.slice(2))
  // All processes of this start have the names of the brand.
  Object.assign(process.env, options.brand)
  const { signal } = lifetime
  await ownDirectory(lifetime)
  const stateFile = await openStartState(join(directory, 'start.json'))
  const { kept } = stateFile
  await stopLeftoverServices(directory)

  say(`Starting PostgreSQL and Redis, with their data in ${directory}, and building`)
  const [servers] = await together([
    startServers(lifetime, directory),
    runToolApart('tools/build.ts'),
  ])
  const migrating = runToolApart('tools/migrate.ts', toMigrationEnvironment(servers, kept))
  await (servers.isOwnPostgres ? migrating.catch(explainMigration) : migrating)
  signal.throwIfAborted()

  say('Starting the API and the worker')
  // These import the files that were just built.
  const { startReceiver } = await import('./start/receiver.ts')
  const { demoEmail, getDemoKey, putDemoOrganization } = await import('./start/demo.ts')
  const { subscribe } = await import('./start/subscription.ts')
  const { showOneEvent } = await import('./start/first-event.ts')
  const receiver = await startReceiver(lifetime, directory)
  const mailbox = await startMailbox(lifetime, directory)
  receiver.secret = kept.webhook?.secret
  const services = await startServices(lifetime, {
    directory,
    environment: toEnvironment(servers, { kept, mailbox }),
  })

  const callInternal = callWith(`${services.internalUrl}/internal/v1`, kept.serviceToken, signal)
  const callWithKey = (key: string) => callWith(`${services.apiUrl}/api/v1`, key, signal)
  await putDemoOrganization(callInternal, stateFile)
  const apiKey = await getDemoKey(stateFile, servers.databaseUrl, callWithKey)
  receiver.secret = await subscribe(callWithKey(apiKey), stateFile, receiver.url)

  const { password, opsToken } = kept
  const receiverUrl = receiver.url
  const mailFolder = mailbox.folder
  const facts = { receiverUrl, mailFolder, email: demoEmail, password, apiKey, opsToken }
  say(`\n${summarize({ ...servers, ...services, ...facts })}\n`)
  await showOneEvent(callInternal, receiver, signal)
  if (options.withPlatform) {
    await startPlatform(lifetime, services.internalUrl, kept.serviceToken)
  }
  say(`\n${nextSteps(services.apiUrl)}`)
}

/** Makes this process the only one that uses the data folder. */
async function ownDirectory(lifetime: Lifetime): Promise<void> {
  await mkdir(directory, { recursive: true })
  const ownership = await owning(join(directory, 'start.owner'), () =>
    Promise.resolve({ stop: () => Promise.resolve() }),
  )
  lifetime.onEnd(ownership.stop)
}

/**
 * Runs a tool until it exits, in its own process group: a Ctrl-C that interrupted a migration would leave a
 * database that refuses the next one.
 *
 * @param env - added to this process's environment.
 * @throws Error with all its output, if it fails.
 */
async function runToolApart(file: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(process.execPath, [file], {
    cwd: root,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], ...printed] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  if (code !== 0) throw new Error(`${file} failed\n${printed.join('')}`)
}
