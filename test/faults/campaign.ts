import { execFileSync } from 'node:child_process'
import { root } from '../../tools/run.ts'
import type { Objection, RuleName } from './checker/check.ts'
import { reduceSchedule } from './schedule/reduce.ts'
import type { Schedule } from './schedule/schedule.ts'
import { runTrial, type Trial, type TrialOptions } from './trial.ts'

/** Which seeds are run, and for how long. */
export interface Campaign {
  readonly firstSeed: number
  /** The most seeds, and the most time, in ms. No run starts after it. */
  readonly seedsMax: number
  readonly ms: number
  /** Makes the schedule of a seed. */
  make(seed: number): Schedule
  /** Whether further seeds follow a failure. Otherwise the failing schedule is reduced. */
  readonly goesOn: boolean
  /** How often a schedule is tried while it is reduced, and for how long in total, in ms. */
  readonly repeats: number
  readonly reduceMs: number
  /** Which violations count. All, if it is undefined. */
  readonly rules?: readonly RuleName[] | undefined
}

/** Runs the seeds, prints every violation and a summary, and returns the number of seeds that failed. */
export async function runCampaign(campaign: Campaign, options: TrialOptions): Promise<number> {
  const startedAt = performance.now()
  const sum = {
    seeds: 0,
    broken: 0,
    failed: 0,
    operations: 0,
    deliveries: 0,
    faults: 0,
    violations: 0,
  }
  const commit = commitOf(root)
  while (sum.seeds < campaign.seedsMax && performance.now() - startedAt < campaign.ms) {
    const schedule = campaign.make((campaign.firstSeed + sum.seeds) % 2 ** 32)
    sum.seeds += 1
    const trial = await runAndReport(schedule, commit, options).catch((error: unknown) => {
      if (!campaign.goesOn) throw error
      print({ seed: schedule.seed, error: String(error) })
    })
    if (!trial) {
      sum.broken += 1
      continue
    }
    sum.operations += trial.operations
    sum.deliveries += trial.deliveries
    sum.faults += schedule.faults.length
    sum.violations += trial.objections.length
    if (!trial.objections.some(({ rule }) => campaign.rules?.includes(rule) ?? true)) continue
    sum.failed += 1
    if (campaign.goesOn) continue
    await reduce(schedule, campaign, options)
    break
  }
  print({ ...sum, minutes: Math.round((performance.now() - startedAt) / 6_000) / 10 })
  return sum.failed
}

const commitOf = (cwd: string): string =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd, encoding: 'utf8' }).trim()

async function runAndReport(
  schedule: Schedule,
  commit: string,
  options: TrialOptions,
): Promise<Trial> {
  const { seed, ms, faults } = schedule
  print({ seed, commit, minutes: ms / 60_000, faults: faults.length })
  const trial = await runTrial(schedule, options)
  const { objections, ...figures } = trial
  print({ seed, ...figures, violations: objections.length })
  printObjections(objections)
  if (objections.length > 0) for (const fault of faults) print(fault)
  return trial
}

/** Repeats a failing schedule with faults left out, and prints the smallest one that still fails. */
async function reduce(
  schedule: Schedule,
  { repeats, reduceMs }: Campaign,
  options: TrialOptions,
): Promise<void> {
  const startedAt = performance.now()
  const isOver = (): boolean => performance.now() - startedAt >= reduceMs
  const fails = async (candidate: Schedule): Promise<boolean> => {
    for (let repeat = 0; repeat < repeats && !isOver(); repeat++) {
      if ((await runTrial(candidate, options)).objections.length > 0) return true
    }
    return false
  }
  if (isOver()) return
  const { seed, faults } = await reduceSchedule(schedule, fails, isOver)
  print({ seed, smallest: faults })
}

/** The most violations of a rule that are printed. */
const printedMax = 5

export function printObjections(objections: readonly Objection[]): void {
  for (const [rule, same] of Map.groupBy(objections, (objection) => objection.rule)) {
    process.stdout.write(`VIOLATION ${rule}: ${same.length} times\n`)
    for (const { message } of same.slice(0, printedMax)) process.stdout.write(`  ${message}\n`)
  }
}

export function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
