// `npm run bench`: every benchmark except `rivals`, which installs packages, or with names
// (`npm run bench -- auth`) only those. Each prints its figures as one JSON line and replaces its part of
// bench/results.json; at the end docs/performance.md is generated. Speed is compared only within one run.
import { root, runTool } from '../tools/run.ts'
import { auth } from './auth.ts'
import { backlog } from './backlog.ts'
import { readCircumstances } from './circumstances.ts'
import { deliver } from './deliver.ts'
import type { BenchmarkName } from './descriptions.ts'
import { fairness } from './fairness.ts'
import { history } from './history.ts'
import { hostile } from './hostile.ts'
import { outage } from './outage.ts'
import { rivals } from './rivals.ts'
import { saveRun, type BenchmarkResult, type BenchmarkRun } from './results.ts'
import { senders } from './senders.ts'
import { signIns } from './sign-ins.ts'
import { singles } from './singles.ts'
import { throttle } from './throttle.ts'

const benchmarks: Readonly<Record<BenchmarkName, () => Promise<BenchmarkResult>>> = {
  auth,
  deliver,
  singles,
  fairness,
  throttle,
  hostile,
  backlog,
  outage,
  history,
  'sign-ins': signIns,
  senders,
  rivals,
}

const names = Object.keys(benchmarks)
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !names.includes(name))
if (unknown.length > 0)
  throw new Error(`There is no benchmark ${unknown.join(', ')}: ${names.join(', ')}`)

const circumstances = readCircumstances()
for (const name of asked.length > 0 ? asked : names.filter((each) => each !== 'rivals')) {
  const [date, startedAt] = [new Date(), performance.now()]
  const result = await benchmarks[name as BenchmarkName]()
  const run: BenchmarkRun = {
    date: date.toISOString(),
    seconds: Math.round((performance.now() - startedAt) / 1_000),
    ...circumstances,
    ...result,
  }
  saveRun(`${root}bench/results.json`, names, [name, run])
  process.stdout.write(`${JSON.stringify({ benchmark: name, ...run })}\n`)
}
runTool(process.execPath, [`${root}tools/generate.ts`])
process.exit(0)
