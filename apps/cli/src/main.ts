import open from 'open'
import { homedir } from 'node:os'
import { exitCodes, Interruption } from './exit-codes.ts'
import { run } from './run.ts'
import { sleep } from './sleep.ts'
import { loadSystemKeyring } from './storage/keyring.ts'

const interruption = new AbortController()
// Once: a second Ctrl-C ends a command that does not.
process.once('SIGINT', () => interruption.abort(new Interruption()))
process.once('SIGTERM', () => interruption.abort(new Interruption(exitCodes.terminated)))
// `hctl … | head` has what it wants.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit(code === 'EPIPE' ? exitCodes.ok : exitCodes.failed)
})

const exitCode = await run(process.argv.slice(2), {
  env: process.env,
  platform: process.platform,
  homeDirectory: homedir(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  fetch: globalThis.fetch,
  openUrl: open,
  loadKeyring: loadSystemKeyring,
  now: Date.now,
  sleep,
  signal: interruption.signal,
})
// What was under way when Ctrl-C came is not waited for.
if (interruption.signal.aborted) process.exit(exitCode)
process.exitCode = exitCode
