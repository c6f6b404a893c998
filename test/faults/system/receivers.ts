import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import type { Recorder } from '../history/recorder.ts'
import type { Random } from '../schedule/random.ts'

/** How a receiver treats requests. */
export type Behavior =
  | 'well'
  | 'flaky'
  | 'slow'
  | 'failing'
  | 'hanging'
  | 'closing'
  | 'steady'
  | 'faltering'

/** The receivers of all endpoints, in one server. */
export interface Receivers {
  urlOf(index: number): string
  /** Connects a receiver with its endpoint. */
  assign(index: number, endpoint: string): void
  /** Adds a signing secret of an endpoint, with its name in the history. */
  addSecret(endpoint: string, name: string, secret: string): void
  /** Changes the behavior of a receiver; without one, to that of the start. */
  behave(index: number, behavior?: Behavior): void
  close(): Promise<void>
}

/** Verifies a signature. Returns the names of the secrets that it was made with. */
type FindSigners = (endpoint: string, signature: string, body: Buffer) => string[]

/** Which receivers start in which way, repeated for all endpoints. */
const behaviors: readonly Behavior[] = ['well', 'flaky', 'well', 'slow', 'well', 'failing']

/** Starts the receivers. Requests are recorded when they are complete, and responses before they are sent. */
export async function startReceivers(
  recorder: Recorder,
  random: Random,
  signers: { addSecret: Receivers['addSecret']; findSigners: FindSigners },
  initial = behaviors,
): Promise<Receivers> {
  const current = new Map<number, Behavior>()
  const endpoints = new Map<number, string>()
  const behaviorOf = (index: number): Behavior =>
    current.get(index) ?? initial[index % initial.length]!

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const index = Number(request.url!.slice(1))
    const endpoint = endpoints.get(index)!
    const arrival = recorder.invoke('receiver', 'deliver', {
      endpoint,
      delivery: request.headers['service-delivery'] as string,
      event: (JSON.parse(body.toString()) as { id: string }).id,
      secrets: signers.findSigners(endpoint, request.headers['service-signature'] as string, body),
    })
    response.once('close', () => arrival.info())
    const plan = plans[behaviorOf(index)](random)
    await setTimeout(plan.afterMs)
    if (plan.status === 'hang' || response.destroyed) return
    if (plan.status === 'close') {
      arrival.fail()
      request.socket.resetAndDestroy()
      return
    }
    arrival.ok({ status: plan.status })
    response.writeHead(plan.status).end()
  }

  const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    // A killed worker aborts in the middle of a request.
    take(request, response).catch(() => undefined)
  })
  server.on('connection', (socket) => socket.on('error', () => undefined))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (index) => `http://127.0.0.1:${port}/${index}`,
    assign: (index, endpoint) => void endpoints.set(index, endpoint),
    addSecret: signers.addSecret,
    behave(index, behavior) {
      if (behavior) current.set(index, behavior)
      else current.delete(index)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What a receiver does with a request. */
interface Plan {
  readonly afterMs: number
  readonly status: number | 'hang' | 'close'
}

const quickMs = (random: Random): number => random.integer(1, 30)
/** Some attempts are always in progress, and some of them for longer than the hold of their job. */
const steadyMs = (random: Random): number => (random.isTrue(0.01) ? 3_000 : 50)

const plans: Readonly<Record<Behavior, (random: Random) => Plan>> = {
  well: (random) => ({ afterMs: quickMs(random), status: 200 }),
  flaky: (random) => ({ afterMs: quickMs(random), status: random.isTrue(0.3) ? 500 : 200 }),
  slow: (random) => ({ afterMs: random.integer(100, 1_200), status: 200 }),
  failing: (random) => ({ afterMs: quickMs(random), status: 503 }),
  hanging: () => ({ afterMs: 0, status: 'hang' }),
  closing: (random) => ({ afterMs: quickMs(random), status: 'close' }),
  steady: (random) => ({ afterMs: steadyMs(random), status: 200 }),
  faltering: (random) => ({ afterMs: steadyMs(random), status: random.isTrue(0.04) ? 500 : 200 }),
}
