import { ofRounds, single } from './figures.ts'
import type { LoadTarget } from './gate.ts'
import type { Load, LoadExtent } from './load.ts'
import { cpuSecondsOf, userSecondsOf } from './processes.ts'
import type { Figure } from './results.ts'

/** A load, and what it cost the process that responded. */
export interface RequestRound {
  readonly load: Load
  readonly cpuSeconds: number
  /** The part of it outside the kernel. */
  readonly userSeconds: number
}

/** Runs one round of its load. */
export async function measure(
  { process, put }: LoadTarget,
  extent: LoadExtent,
): Promise<RequestRound> {
  const before = [cpuSecondsOf(process.pid), userSecondsOf(process.pid)] as const
  const load = await put(extent)
  return {
    load,
    cpuSeconds: cpuSecondsOf(process.pid) - before[0],
    userSeconds: userSecondsOf(process.pid) - before[1],
  }
}

/** The figures of the rounds. */
export const summarizeRequests = (
  taken: readonly RequestRound[],
): Readonly<Record<string, Figure>> => ({
  requests: ofRounds('/s', speedsOf(taken)),
  p50: ofRounds(
    'ms',
    taken.map(({ load }) => load.p50Ms),
  ),
  p99: ofRounds(
    'ms',
    taken.map(({ load }) => load.p99Ms),
  ),
  cpu: ofRounds(
    'µs',
    taken.map(({ load, cpuSeconds }) => perRequest(load, cpuSeconds)),
  ),
  user_cpu: ofRounds(
    'µs',
    taken.map(({ load, userSeconds }) => perRequest(load, userSeconds)),
  ),
  not_200: single(
    'count',
    taken.reduce((sum, { load }) => sum + load.not200, 0),
  ),
})

/** The requests per second of each round. */
export const speedsOf = (taken: readonly RequestRound[]): number[] =>
  taken.map(({ load }) => load.perSecond)

const perRequest = ({ requests }: Load, seconds: number): number => (seconds * 1e6) / requests
