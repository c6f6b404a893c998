/** What becomes of a call. `info`: the outcome is unknown, so it may have happened, or may still happen. */
export type Outcome = 'ok' | 'fail' | 'info'

/** A line of the history. A call is its `invoke` and the entry with its outcome. */
export interface Entry {
  /** The number of the call, which its two entries share. */
  readonly call: number
  readonly type: 'invoke' | Outcome
  /** Milliseconds since the start of the run, on a monotonic clock. */
  readonly at: number
  /** Who calls, for example `publisher 2` or `receiver`. */
  readonly process: string
  readonly name: OperationName
  readonly value: object
}

/** What the calls of each name say when they start, and when they succeed. */
export interface Operations {
  /** The facts of the run, which the rules need. */
  run: { invoke: RunFacts; ok: object }
  publish: { invoke: { events: PublishedEvent[] }; ok: { deliveries: number[] } }
  /** A receiver got a request, and responded. `fail`: it closed the connection. `info`: the client did. */
  deliver: { invoke: Arrival; ok: { status: number } }
  disable: { invoke: OfEndpoint; ok: object }
  enable: { invoke: OfEndpoint; ok: object }
  delete: { invoke: OfEndpoint; ok: object }
  throttle: { invoke: OfEndpoint & { perSecond: number | null }; ok: object }
  rotate: { invoke: OfEndpoint & { overlapSeconds: number }; ok: { secret: string } }
  recover: { invoke: OfEndpoint; ok: object }
  describe: { invoke: OfEndpoint & { description: string }; ok: object }
  redeliver: {
    invoke: OfEndpoint & { delivery: string; idempotencyKey: string }
    ok: { delivery: string }
  }
  ping: { invoke: OfEndpoint & { idempotencyKey: string }; ok: { delivery: string } }
  revoke: { invoke: { key: string }; ok: object }
  /** A request with a key that the service accepted (`ok`) or refused (`fail`). */
  use: { invoke: { key: string }; ok: object }
  /** A request that needs PostgreSQL. */
  visit: { invoke: { path: string }; ok: { status: number } }
  /** A page of the event log of an organization, in the order of the log. */
  'read log': { invoke: OfTenant; ok: { events: readonly string[] } }
  /** A declared fault, from its start to its end. */
  fault: { invoke: DeclaredFault; ok: object }
  /** After a stall, the service delivers again, and every process is ready. */
  return: { invoke: { kind: string }; ok: { deliveredMs: number; readyMs: number } }
  /** A process started while PostgreSQL did not answer, and ended. */
  'start in vain': { invoke: { process: string }; ok: { code: number | null; output: string } }
  /** A process of the service ended without being told to. */
  exit: { invoke: { report: string }; ok: object }
  /** A process logged a defect. */
  log: { invoke: { report: string }; ok: object }
  /** This program or the machine was this late, in ms. */
  stall: { invoke: { ms: number }; ok: object }
  /** The load of the machine: processes that want to run, per core, averaged over a minute. */
  load: { invoke: { perCore: number }; ok: object }
  /** What the service says at the end. */
  'read delivery': { invoke: object; ok: RecordedDelivery }
  /** The checks of a process that fail. */
  'read readiness': {
    invoke: { process: string }
    ok: { status: number; unavailable: readonly string[] }
  }
  /** The sessions of the services at PostgreSQL. */
  'read sessions': { invoke: { most: number }; ok: { count: number } }
  /** The committed descriptions, and the transactions that hold anything but one change and its audit row. */
  'read changes': {
    invoke: object
    ok: { descriptions: readonly string[]; mixed: readonly string[] }
  }
  'read endpoint': { invoke: OfEndpoint; ok: RecordedEndpoint }
  /** What one moment shows of deliveries that are not in exactly one place. */
  'read places': { invoke: object; ok: { misplaced: readonly string[] } }
  'read audit log': { invoke: object; ok: RecordedAuditLog }
  'read positions': { invoke: OfTenant; ok: { positions: readonly LoggedPosition[] } }
}

export type OperationName = keyof Operations

/** The settings of the service under test, and what does not change during the run. */
export interface RunFacts {
  readonly retryDelaysMs: readonly number[]
  readonly timeoutMs: number
  /** The duration of the lease of an attempt. */
  readonly leaseMs: number
  readonly endpoints: readonly Endpoint[]
  readonly keys: readonly Key[]
}

/** An endpoint at the start. */
export interface Endpoint {
  readonly id: string
  readonly tenant: string
  /** The published types that it subscribes to. */
  readonly types: readonly string[]
  /** The name of its first signing secret. */
  readonly secret: string
}

/** A key that a caller uses. */
export interface Key {
  readonly id: string
  readonly perMinute: number
  /** When it expires, on the clock of the history, or null. */
  readonly expiresAt: number | null
}

interface OfEndpoint {
  readonly endpoint: string
}

interface OfTenant {
  readonly tenant: string
}

export interface PublishedEvent {
  readonly id: string
  readonly tenant: string
  readonly type: string
}

/** A request at a receiver. */
export interface Arrival extends OfEndpoint {
  readonly delivery: string
  readonly event: string
  /** The names of the secrets that it is signed with. `?`: a secret that was never returned. */
  readonly secrets: readonly string[]
}

/** The parts of the system that a fault affects. */
export type FaultTarget = 'worker' | 'api' | 'postgres' | 'redis' | 'receiver'

export interface DeclaredFault {
  readonly kind: string
  readonly target: FaultTarget
  /** The endpoint whose receiver fails. */
  readonly endpoint?: string
}

/** An attempt in the records. Times are on the clock of the history. */
export interface RecordedAttempt {
  readonly number: number
  readonly startedAt: number
  readonly durationMs: number
  readonly status: number | null
  readonly error: string | null
}

/** A delivery as PostgreSQL and the API describe it. */
export interface RecordedDelivery extends OfEndpoint {
  readonly delivery: string
  readonly event: string
  readonly type: string
  readonly redeliveryOf: string | null
  /** `succeeded`, `dead`, or null while it has not ended. */
  readonly outcome: string | null
  readonly attemptCount: number
  readonly completedAt: number | null
  readonly attempts: readonly RecordedAttempt[]
  /** What the list of the API says about it. */
  readonly listed: {
    readonly status: string
    readonly attemptCount: number
    readonly lastStatus: number | null
  } | null
}

/** The counters of an endpoint. */
export interface RecordedEndpoint extends OfEndpoint {
  /** From the statistics. */
  readonly succeeded: number
  readonly failed: number
  /** A recount of the attempts. */
  readonly succeededRows: number
  readonly failedRows: number
  readonly waiting: number
}

/** The position of an event in the event log. */
export interface LoggedPosition {
  readonly event: string
  readonly position: number
}

export interface RecordedAuditLog {
  readonly errors: readonly string[]
  /** The entries of successful changes, by action. */
  readonly counts: Readonly<Record<string, number>>
  /** The entries that are not sealed. */
  readonly unsealed: number
}
