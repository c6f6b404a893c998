import type { Refusal } from '../history/calls.ts'
import type {
  DeclaredFault,
  Endpoint,
  Entry,
  Key,
  OperationName,
  Operations,
  Outcome,
  RecordedDelivery,
  RunFacts,
} from '../history/entries.ts'

/** A request at a receiver, with the attempt that the service recorded for it. */
export interface MadeAttempt {
  readonly from: number
  readonly to: number
  /** The response. Null: none. */
  readonly status: number | null
  /** What the record says, if it differs. Null: the attempt is not recorded. */
  readonly recorded?: { readonly number?: number; readonly status?: number | null } | null
  readonly secrets?: readonly string[]
}

/** A delivery to be written into a history. */
export interface MadeDelivery {
  readonly id: string
  readonly attempts: readonly MadeAttempt[]
  readonly record?: Partial<RecordedDelivery>
}

/** Builds histories for the tests of the rules: by default one event, its endpoint and a key. */
export class HistoryBuilder {
  readonly entries: Entry[] = []
  #calls = 0

  constructor({ endpoints = [endpointA], keys = [keyK] }: Partial<RunFacts> = {}) {
    this.call('run', { from: 0, to: 0, value: { ...runFacts, endpoints, keys }, result: {} })
  }

  call<Name extends OperationName>(
    name: Name,
    {
      from,
      to = from + 10,
      type = 'ok',
      value,
      result,
      refusal,
    }: {
      from: number
      to?: number
      type?: Outcome
      value: Operations[Name]['invoke']
      result?: Operations[Name]['ok']
      refusal?: Refusal
    },
  ): this {
    const call = this.#calls++
    this.entries.push({ call, type: 'invoke', at: from, process: 'test', name, value })
    this.entries.push({ call, type, at: to, process: 'test', name, value: refusal ?? result ?? {} })
    return this
  }

  publish(
    event: string,
    { from = 100, type = 'ok' }: { from?: number; type?: Outcome } = {},
  ): this {
    const events = [{ id: event, tenant: endpointA.tenant, type: 'site.created' }]
    return this.call('publish', { from, type, value: { events }, result: { deliveries: [1] } })
  }

  fault(value: DeclaredFault, from: number, to: number): this {
    return this.call('fault', { from, to, value, result: {} })
  }

  /** Writes the requests of a delivery and its record, which agree unless told otherwise. */
  delivery({ id, attempts, record = {} }: MadeDelivery): this {
    const own = { delivery: id, event: 'event 1', endpoint: endpointA.id }
    for (const { from, to, status, secrets = [endpointA.secret] } of attempts) {
      const type = status === null ? 'info' : 'ok'
      const result = { status: status ?? 0 }
      this.call('deliver', { from, to, type, value: { ...own, secrets }, result })
    }
    const recorded = attempts
      .filter((attempt) => attempt.recorded !== null)
      .map(({ from, to, status, recorded: other }, index) => {
        const said = { number: index + 1, status, ...other }
        return {
          ...said,
          startedAt: from,
          durationMs: to - from,
          error: said.status === null ? 'timeout' : said.status < 300 ? null : 'http_error',
        }
      })
    const last = recorded.at(-1)
    const outcome = last?.error === null ? 'succeeded' : 'dead'
    this.call('read delivery', {
      from: end,
      value: {},
      result: {
        ...own,
        type: 'site.created',
        redeliveryOf: null,
        outcome,
        attemptCount: recorded.length,
        completedAt: attempts.at(-1)?.to ?? null,
        attempts: recorded,
        listed: {
          status: outcome,
          attemptCount: recorded.length,
          lastStatus: last?.status ?? null,
        },
        ...record,
      },
    })
    return this
  }
}

/** When the records are read. */
const end = 1_000_000

export const endpointA: Endpoint = {
  id: 'A',
  tenant: 'tenant',
  types: ['site.created'],
  secret: 'secret 1',
}

export const keyK: Key = { id: 'K', perMinute: 3, expiresAt: null }

const runFacts = {
  retryDelaysMs: [1_000, 1_000, 1_000, 1_000, 1_000, 1_000],
  timeoutMs: 2_000,
  leaseMs: 7_000,
}

export const good: MadeAttempt = { from: 1_300, to: 1_320, status: 200 }
export const failed: MadeAttempt = { from: 200, to: 220, status: 500 }
/** A failed attempt at 200 and a successful one at 1,300. */
export const sound = { id: 'd1', attempts: [failed, good] }

/** A history in which an event was accepted. */
export const published = (): HistoryBuilder => new HistoryBuilder().publish('event 1')
