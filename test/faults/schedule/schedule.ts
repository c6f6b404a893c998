import {
  faultKinds,
  stallKinds,
  type FaultKind,
  type ShortKind,
  type StallKind,
  type Way,
} from './fault-kinds.ts'
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
  readonly way: Way
  /** Whether the faults are stalls, which follow each other: the next one begins when the service has recovered. */
  readonly isStalled: boolean
}

/** Whether a fault is a stall. */
export const isStall = (step: FaultStep): step is FaultStep & { kind: StallKind } =>
  step.kind in stallKinds

/** Whether a fault begins at its time, whatever else fails. */
export const isShort = (step: FaultStep): step is FaultStep & { kind: ShortKind } =>
  step.kind in faultKinds

const operationNames = [
  'disable',
  'enable',
  'rotate',
  'throttle',
  'redeliver',
  'ping',
  'recover',
  'delete',
  'describe',
] as const

/** Mostly pairs of pausing and resuming, and few deletions. */
const operationWeights = [3, 4, 3, 3, 4, 3, 3, 0.4, 4]

/** The number of endpoints of a run. */
export const endpointCount = 12
/** Faults begin after the load has, and end before it does. */
const calmMs = 2_000
const faultEveryMs = 4_000
const operationEveryMs = 500

const allKinds = Object.keys(faultKinds) as ShortKind[]

/** Makes the schedule of a seed, with faults of these kinds. */
export function makeSchedule(
  seed: number,
  ms: number,
  kinds: readonly ShortKind[] = allKinds,
): Schedule {
  const random = createRandom(seed)
  const [forFaults, forOperations] = [random.fork(), random.fork()]
  return {
    seed,
    ms,
    faults: inOrder(fill(ms / faultEveryMs, () => makeFault(forFaults, ms, kinds))),
    operations: makeOperations(forOperations, ms),
    way: 'direct',
    isStalled: false,
  }
}

/** About how long the service takes to recover from a stall, in ms. */
const recoverMs = 8_000

/** Makes the schedule of a seed with all stalls of a way, in an order that the seed determines. Odd seeds are pooled. */
export function makeStalls(seed: number): Schedule {
  const random = createRandom(seed)
  const way = seed % 2 === 1 ? 'pooled' : 'direct'
  const kinds = (Object.keys(stallKinds) as StallKind[]).filter((kind) =>
    stallKinds[kind].ways.some((each) => each === way),
  )
  const faults: FaultStep[] = []
  let atMs = calmMs
  while (kinds.length > 0) {
    const [kind] = kinds.splice(random.integer(0, kinds.length - 1), 1) as [StallKind]
    const fault = { ...makeStep(random, kind, stallKinds[kind].seconds), atMs }
    faults.push(fault)
    atMs += fault.forMs + recoverMs
  }
  return { seed, ms: atMs, faults, operations: makeOperations(random, atMs), way, isStalled: true }
}

const fill = <Step>(count: number, make: () => Step): Step[] =>
  Array.from({ length: Math.ceil(count) }, make)

const makeOperations = (random: Random, ms: number): OperationStep[] =>
  inOrder(fill(ms / operationEveryMs, () => makeOperation(random, ms)))

const inOrder = <Step extends { readonly atMs: number }>(steps: readonly Step[]): Step[] =>
  steps.toSorted((one, other) => one.atMs - other.atMs)

function makeFault(random: Random, ms: number, kinds: readonly ShortKind[]): FaultStep {
  const kind = random.pick(kinds)
  const step = makeStep(random, kind, faultKinds[kind].seconds)
  const forMs = Math.min(step.forMs, ms / 2)
  const atMs = random.integer(calmMs, Math.max(calmMs, ms - forMs - calmMs))
  return { ...step, forMs, atMs }
}

function makeStep(
  random: Random,
  kind: FaultKind,
  [least, most]: readonly [number, number],
): Omit<FaultStep, 'atMs'> {
  return {
    kind,
    forMs: random.integer(least * 1_000, most * 1_000),
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
