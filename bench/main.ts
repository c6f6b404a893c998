// `npm run bench`: every benchmark, or with names (`npm run bench -- auth`) those alone. Each prints its
// figures as one JSON line. Speed is compared within one run, never between runs.
import { auth } from './auth.ts'
import { backlog } from './backlog.ts'
import { deliver } from './deliver.ts'
import { fairness } from './fairness.ts'
import { history } from './history.ts'
import { senders } from './senders.ts'

const benchmarks: Readonly<Record<string, () => Promise<Record<string, unknown>>>> = {
  auth,
  deliver,
  fairness,
  backlog,
  history,
  senders,
}

const asked = process.argv.slice(2)
for (const name of asked.length > 0 ? asked : Object.keys(benchmarks)) {
  const run = benchmarks[name]
  if (!run) throw new Error(`There is no benchmark ${name}: ${Object.keys(benchmarks).join(', ')}`)
  process.stdout.write(`${JSON.stringify({ benchmark: name, ...(await run()) })}\n`)
}
process.exit(0)
