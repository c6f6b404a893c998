import { createAddressPolicy, type AddressPolicy } from '@hosting/core/network'
import type { LookupAddress } from 'node:dns'
import { root, runTool } from '../tools/run.ts'
import { ofRounds, ratioOfRounds, single } from './figures.ts'
import { startNode, type BenchProcess } from './processes.ts'
import type { BenchmarkResult } from './results.ts'
import { senders as made } from './senders/senders.ts'

type Name = keyof typeof made

const names = Object.keys(made) as Name[]
const rounds = 5
const requestsPerRound = 10_000

/**
 * The HTTP clients of `WEBHOOK_HTTP_CLIENT` and undici, each with the same guard: one process each, in alternating
 * rounds, to one receiver. Before that, each must pass a test of the guard.
 */
export async function senders(): Promise<BenchmarkResult> {
  const receiver = await startNode('bench/receiver.ts', {})
  for (const name of names) await requireGuard(name, receiver)

  const taken: Record<Name, Round[]> = { got: [], node: [], undici: [] }
  for (let round = 0; round < rounds; round++) {
    for (const name of names) taken[name].push(measure(name, receiver))
  }
  await receiver.stop()
  const valuesOf = (name: Name, figure: keyof Round): number[] =>
    taken[name].map((round) => round[figure])
  const summarize = (name: Name) => ({
    requests: ofRounds('/s', valuesOf(name, 'perSecond')),
    cpu: ofRounds('µs', valuesOf(name, 'cpuUs')),
    ...(name !== 'got' && {
      speed_to_got: ratioOfRounds(valuesOf(name, 'perSecond'), valuesOf('got', 'perSecond')),
      cpu_to_got: ratioOfRounds(valuesOf(name, 'cpuUs'), valuesOf('got', 'cpuUs')),
    }),
    errors: single(
      'count',
      valuesOf(name, 'errors').reduce((sum, errors) => sum + errors, 0),
    ),
  })
  return {
    servers: {},
    settings: { rounds, requests_per_round: requestsPerRound },
    figures: { clients: Object.fromEntries(names.map((name) => [name, summarize(name)])) },
  }
}

interface Round {
  readonly perSecond: number
  readonly cpuUs: number
  readonly errors: number
}

function measure(name: Name, receiver: BenchProcess): Round {
  const file = `${root}bench/senders/sender-process.ts`
  const args = [file, name, `${receiver.url}/hook`, String(requestsPerRound)]
  return JSON.parse(runTool(process.execPath, args)) as Round
}

/** Throws if a sender reaches a private address that the policy does not permit, in any way. */
async function requireGuard(name: Name, receiver: BenchProcess): Promise<void> {
  const { port } = new URL(receiver.url)
  const strict = createAddressPolicy({ own: [], allowed: [] })
  // Permits an address once: before the connection, and no longer when it is open.
  let asked = 0
  const fickle: AddressPolicy = { allowsPrivate: true, permits: () => asked++ === 0 }
  const ways: readonly [string, AddressPolicy][] = [
    [`http://127.0.0.1:${port}/hook`, strict],
    [`https://127.0.0.1:${port}/hook`, strict],
    [`http://hooks.example.test:${port}/hook`, strict],
    [`https://hooks.example.test:${port}/hook`, strict],
    [`http://127.0.0.1:${port}/hook`, fickle],
  ]
  for (const [url, policy] of ways) {
    const sender = made[name](policy, { timeoutMs: 2_000, resolve: toLoopback })
    const { errorClass } = await sender.send({ url, headers: {}, body: '{}', tenantId: 'tenant' })
    sender.close()
    if (errorClass !== 'address_not_public') throw new Error(`${name} to ${url}: ${errorClass}`)
  }
  const { received } = (await (await fetch(`${receiver.url}/figures`)).json()) as {
    received: number
  }
  if (received > 0) throw new Error(`${name} reached an address that is not permitted.`)
}

const toLoopback = (): Promise<LookupAddress[]> =>
  Promise.resolve([{ address: '127.0.0.1', family: 4 }])
