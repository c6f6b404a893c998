// `docker compose` for the servers of deploy/ha, as processes of this machine: what the commands of
// docs/high-availability.md need of it. Usage: docker.ts STATE compose COMMAND…
import { spawn, spawnSync } from 'node:child_process'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ComposeState, ServiceState } from './compose-state.ts'

const [stateFile, , verb, ...words] = process.argv.slice(2)
const state = JSON.parse(readFileSync(stateFile!, 'utf8')) as ComposeState
const args = words.filter(
  (word) => !/^(--(detach|wait|no-deps|rm|force-recreate|build)|-T)$/.test(word),
)

const pidFileOf = (name: string): string => join(state.folder, `${name}.pid`)

const optionsOf = ({ environment }: ServiceState) => ({ cwd: '/', env: environment, ...state.user })

/** Runs a command to its end, as in a container of the service. */
function runIn(service: ServiceState, [program, ...rest]: readonly string[]): never {
  const { status } = spawnSync(program!, rest, { ...optionsOf(service), stdio: 'inherit' })
  process.exit(status ?? 1)
}

async function start(name: string, service: ServiceState): Promise<void> {
  if (isRunning(name)) return
  const log = openSync(join(state.folder, `${name}.log`), 'a')
  const [program, ...rest] = [...service.entrypoint, ...service.command]
  const child = spawn(program!, rest, {
    ...optionsOf(service),
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.unref()
  writeFileSync(pidFileOf(name), String(child.pid))
  for (let tries = 0; tries < 600; tries++) {
    const [check, ...checkArgs] = service.healthcheck
    if (spawnSync(check!, checkArgs, optionsOf(service)).status === 0) return
    if (child.exitCode !== null) break
    await setTimeout(100)
  }
  throw new Error(
    `${name} is not healthy: ${readFileSync(join(state.folder, `${name}.log`), 'utf8')}`,
  )
}

function isRunning(name: string): boolean {
  try {
    return process.kill(Number(readFileSync(pidFileOf(name), 'utf8')), 0)
  } catch {
    return false
  }
}

async function stop(name: string): Promise<void> {
  if (!isRunning(name)) return
  // The image's signal: a fast shutdown, which sends everything to the standby.
  process.kill(Number(readFileSync(pidFileOf(name), 'utf8')), 'SIGINT')
  while (isRunning(name)) await setTimeout(50)
}

/** The services that a command names. Those that are not of deploy/ha are left to the caller. */
const named = (): [string, ServiceState][] =>
  Object.entries(state.services).filter(([name]) => args.length === 0 || args.includes(name))

const [first, ...command] = args
switch (verb ?? '') {
  case 'exec':
    runIn(state.services[first!]!, command)
    break
  case 'run': {
    const service = state.services[first!]!
    if (isRunning(first!)) throw new Error(`${first} runs`)
    runIn(service, [...service.entrypoint, ...command])
    break
  }
  case 'up':
  case 'start':
    for (const [name, service] of named()) await start(name, service)
    break
  case 'stop':
    for (const [name] of named()) await stop(name)
    break
  default:
    throw new Error(`docker compose ${verb ?? ''} is not known here`)
}
process.exit(0)
