import './check-node.ts'
import open from 'open'
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { homedir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { builtInServer } from './built-in-server.ts'
import { exitCodes, Interruption } from './exit-codes.ts'
import { run } from './run.ts'
import { loadSystemKeyring } from './storage/keychain.ts'

// Node gives up each address of a name but the last after 250 ms, in which a server far away does not connect.
setDefaultAutoSelectFamilyAttemptTimeout(2_500)

const interruption = new AbortController()
// Once: a second Ctrl-C ends a command that does not react to the first.
process.once('SIGINT', () => interruption.abort(new Interruption()))
process.once('SIGTERM', () => interruption.abort(new Interruption(exitCodes.terminated)))
process.once('SIGHUP', () => interruption.abort(new Interruption(exitCodes.hungUp)))
// The reader of a pipe, such as `head`, may close it early.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit(code === 'EPIPE' ? exitCodes.ok : exitCodes.failed)
})

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, signal && { signal })
  } catch (error) {
    throw signal?.reason ?? error
  }
}

void runProcess()

/** Without an `await` of the module, so that the program can also be bundled for an executable, as CommonJS. */
async function runProcess(): Promise<void> {
  const exitCode = await run(process.argv.slice(2), {
    env: process.env,
    platform: process.platform,
    homeDirectory: homedir(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    fetch: globalThis.fetch,
    builtInServer,
    openUrl: open,
    loadKeyring: loadSystemKeyring,
    now: Date.now,
    sleep,
    signal: interruption.signal,
  })
  // Do not wait for requests that Ctrl-C interrupted.
  if (interruption.signal.aborted) process.exit(exitCode)
  process.exitCode = exitCode
}
