import { faultKinds, type FaultKind } from './fault-kinds.ts'
import { createRandom, type Random } from './random.ts'

/** A fault at a time of the run. */
export interface FaultStep {
  readonly kind: FaultKind
  readonly atMs: number
  readonly forMs: number
  /** Which process or endpoint it affects: an index into them, modulo their number. */
  readonly which: number
  /** For a fail point: which one of the process, and which hit of it kills. */
  readonly point: number
  readonly hit: number
}

/** A request of the administrator at a time of the run. */
export interface OperationStep {
  readonly name: (typeof operationNames)[number]
  readonly atMs: number
  /** An index into the endpoints. */
  readonly endpoint: number
  readonly perSecond: number | null
  readonly overlapSeconds: number
}

/** What happens in a run. */
export interface Schedule {
  readonly seed: number
  readonly ms: number
  readonly faults: readonly FaultStep[]
  readonly operations: readonly OperationStep[]
}

const operationNames = [
  'disable',
  'enable',
  'rotate',
  'throttle',
  'redeliver',
  'ping',
  'recover',
  'delete',
] as const

/** Mostly pairs of pausing and resuming, and few deletions. */
const operationWeights = [3, 4, 3, 3, 4, 3, 3, 0.4]

/** The number of endpoints of a run. */
export const endpointCount = 12
/** Faults begin after the load has, and end before it does. */
const calmMs = 2_000
const faultEveryMs = 4_000
const operationEveryMs = 500

/** Makes the schedule of a seed. */
export function makeSchedule(seed: number, ms: number): Schedule {
  const random = createRandom(seed)
  const [forFaults, forOperations] = [random.fork(), random.fork()]
  const fill = <Step>(everyMs: number, make: () => Step): Step[] =>
    Array.from({ length: Math.ceil(ms / everyMs) }, make)
  return {
    seed,
    ms,
    faults: inOrder(fill(faultEveryMs, () => makeFault(forFaults, ms))),
    operations: inOrder(fill(operationEveryMs, () => makeOperation(forOperations, ms))),
  }
}

const inOrder = <Step extends { readonly atMs: number }>(steps: readonly Step[]): Step[] =>
  steps.toSorted((one, other) => one.atMs - other.atMs)

function makeFault(random: Random, ms: number): FaultStep {
  const kind = random.pick(Object.keys(faultKinds) as FaultKind[])
  const [least, most] = faultKinds[kind].seconds
  const forMs = Math.min(random.integer(least * 1_000, most * 1_000), ms / 2)
  return {
    kind,
    atMs: random.integer(calmMs, Math.max(calmMs, ms - forMs - calmMs)),
    forMs,
    which: random.integer(0, 99),
    point: random.integer(0, 99),
    hit: random.integer(1, 20),
  }
}

function makeOperation(random: Random, ms: number): OperationStep {
  return {
    name: pickWeighted(random),
    atMs: random.integer(calmMs, ms - calmMs),
    endpoint: random.integer(0, endpointCount - 1),
    perSecond: random.isTrue(0.5) ? random.integer(2, 10) : null,
    overlapSeconds: random.isTrue(0.5) ? 0 : random.integer(1, 10),
  }
}

function pickWeighted(random: Random): OperationStep['name'] {
  const sum = operationWeights.reduce((total, weight) => total + weight, 0)
  let left = random.next() * sum
  const index = operationWeights.findIndex((weight) => (left -= weight) < 0)
  return operationNames[index]!
}
