// `npm run test:faults -- --seed 4711 --minutes 1`: runs the schedule of a seed and checks its history. After a failure
// it repeats the schedule with faults left out, and prints the smallest one that still fails.
// `-- --stalls`: with the long faults instead, one after the other. Odd seeds run behind PgBouncer.
// `-- --seeds 5`: also the seeds that follow, until one fails.
// `-- --for 60`: fresh seeds for this many minutes, whatever fails.
// `-- --fault 'lock rows'`: with this fault only, so that no other one excuses what happens.
// `-- --plant NAME --seeds 20`: with a planted defect, which one of the seeds must find.
// `-- --check FILE`: checks the history of an earlier run.
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { print, printObjections, runCampaign } from './campaign.ts'
import { checkHistory } from './checker/check.ts'
import { fromLines } from './history/recorder.ts'
import { copyBuild } from './plants/copy-build.ts'
import { plants } from './plants/plants.ts'
import { faultKinds, type ShortKind } from './schedule/fault-kinds.ts'
import { makeSchedule, makeStalls } from './schedule/schedule.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    minutes: { type: 'string', default: '1' },
    for: { type: 'string' },
    fault: { type: 'string' },
    plant: { type: 'string' },
    stalls: { type: 'boolean', default: false },
    repeats: { type: 'string', default: '3' },
    'reduce-minutes': { type: 'string', default: '20' },
    check: { type: 'string' },
  },
})

const toMs = (minutes: string): number => Number(minutes) * 60_000

/** Returns whether the program found what it should: nothing, or the planted defect. */
async function main(): Promise<boolean> {
  if (values.check !== undefined) return checkFile(values.check)
  const { plant: plantName } = values
  const plant = plantName === undefined ? undefined : plants[plantName]
  if (plantName !== undefined && !plant) {
    throw new Error(`There is no plant ${plantName}: ${Object.keys(plants).join(', ')}`)
  }
  const fault = plant?.fault ?? (values.fault as ShortKind | undefined)
  if (fault !== undefined && !(fault in faultKinds)) {
    throw new Error(`There is no fault ${fault}: ${Object.keys(faultKinds).join(', ')}`)
  }
  const campaign = {
    firstSeed: values.seed === undefined ? randomInt(2 ** 32) : Number(values.seed),
    seedsMax: Number(values.seeds ?? (values.for === undefined ? 1 : Infinity)),
    ms: values.for === undefined ? Infinity : toMs(values.for),
    make: (seed: number) =>
      values.stalls ? makeStalls(seed) : makeSchedule(seed, toMs(values.minutes), fault && [fault]),
    goesOn: values.for !== undefined,
    repeats: Number(values.repeats),
    reduceMs: plant ? 0 : toMs(values['reduce-minutes']),
    rules: plant?.breaks,
  }
  const folder = await copyBuild(`${plantName ?? 'build'}-${process.pid}`, plant?.patches ?? [])
  try {
    const failed = await runCampaign(campaign, { folder, dropsInfo: plant?.dropsInfo })
    if (plantName !== undefined) print({ plant: plantName, found: failed > 0 })
    return failed > 0 === (plant !== undefined)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function checkFile(file: string): boolean {
  const objections = checkHistory(fromLines(readFileSync(file, 'utf8')))
  print({ file, violations: objections.length })
  printObjections(objections)
  return objections.length === 0
}

process.exit((await main()) ? 0 : 1)
