import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  ConfigurationError,
  findConnectionWarnings,
  loadConfig,
  type Config,
  type FindConfigErrors,
} from '@hosting/core/configuration'
import { createLogger, endLog, type Logger } from './logger.ts'
import { startTracing } from './tracing.ts'

/** A process that has started. `close` drains it: it accepts no new work and completes the work in progress. */
export interface Running {
  close(): Promise<void>
}

/** A process must exit within this time after SIGTERM or SIGINT, in ms, before orchestrators kill it. */
const drainMsMax = 18_000

/**
 * How long the clients of PostgreSQL, Redis and the collector of traces try each address of a name but the last, in ms.
 * Node's 250 ms are too short for a line that loses the first packet. Other connections are made as
 * `connect-staggered.ts` says.
 */
const addressMsMax = 2_500

/**
 * Runs a process of the service. Reads the configuration from the environment, starts, and on SIGTERM or SIGINT
 * drains and exits with 0. If the configuration is invalid, prints all errors and exits with 1 before anything
 * connects.
 *
 * @param findErrors - see `loadConfig` of @hosting/core.
 */
export async function runProcess(
  name: string,
  start: (config: Config, log: Logger) => Promise<Running>,
  findErrors?: FindConfigErrors,
): Promise<void> {
  limitHeapGrowth()
  setDefaultAutoSelectFamilyAttemptTimeout(addressMsMax)
  const config = loadConfigOrExit(process.env, findErrors)
  const log = createLogger(name, config.logLevel)
  logWhatNodePrints(log)
  for (const { variable, message } of findConnectionWarnings(config))
    log.warn({ variable }, message)
  const stopping = new Promise<string>((resolve) => {
    // Not `once`: npm forwards the Ctrl-C that the terminal has already sent to both processes, and the second
    // signal must not interrupt the draining.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  })
  try {
    const tracing = await startTracing(name, config, log)
    // A process that is stopped while it waits for PostgreSQL has nothing to drain.
    const running = await Promise.race([start(config, log), stopping.then(() => undefined)])
    if (!running) process.exit(0)
    releaseMemoryOfStart()
    log.info('started')
    log.info({ signal: await stopping }, 'draining')
    setTimeout(() => exitOverdue(log), drainMsMax).unref()
    await running.close()
    await tracing.close()
    log.info('ended')
    await endLog(log)
    exitAtOnce()
  } catch (error) {
    log.fatal({ err: error }, 'the process cannot continue')
    await endLog(log)
    process.exit(1)
  }
}

/**
 * Lets V8's old generation grow by half before it is collected. By default it grows several times over while memory
 * is plentiful, most of it garbage (packages/process/README.md#memory). NODE_OPTIONS does not accept this flag.
 */
function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50')
}

/**
 * Returns to the system what loading the code and starting took: about 30 MB of garbage, which V8 would keep, because
 * a process at rest collects nothing. Takes about 80 ms, once. V8 offers this collection only to scripts.
 */
function releaseMemoryOfStart(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Logs the warnings and uncaught errors that Node would print to standard error in its own format. */
function logWhatNodePrints(log: Logger): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn({ err: warning }, 'Node emitted a warning'))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unhandled error')
    process.exit(1)
  })
}

function loadConfigOrExit(
  env: NodeJS.ProcessEnv,
  findErrors: FindConfigErrors | undefined,
): Config {
  try {
    return loadConfig(env, findErrors)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    process.stderr.write(`${error.message}\n`)
    return process.exit(1)
  }
}

/**
 * Exits with 0 by becoming a process that ends at once. `process.exit`, and the end of the event loop, wait for V8's
 * compiling threads, and a thread that needs a garbage collection waits for the main thread, so that the process can
 * hang (https://github.com/nodejs/node/issues/54918).
 */
function exitAtOnce(): never {
  process.execve?.(process.execPath, [process.execPath, '--eval', ''], {})
  process.exit(0)
}

function exitOverdue(log: Logger): never {
  log.error('draining took too long')
  process.exit(1)
}
