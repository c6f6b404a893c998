// `npm run bench`: every benchmark but `beside`, which needs another checkout. With
// names (`npm run bench -- auth`), only those. Each prints its figures as one JSON line. With `--keep`, they replace those
// of measured.json, from which `npm run generate` makes the tables of docs/performance.md.
import { accountFilters } from './account-filters.ts'
import { auth } from './auth.ts'
import { backlog } from './backlog.ts'
import { beside } from './beside.ts'
import { readCircumstances } from './circumstances.ts'
import { deliver } from './deliver.ts'
import { fairness } from './beside-backlog.ts'
import { history } from './history.ts'
import { keepRun } from './measured.ts'
import { quiet } from './quiet.ts'
import { reads } from './reads.ts'
import type { BenchmarkResult, BenchmarkRun } from './results.ts'
import { silentNames } from './silent-names.ts'
import { signIns } from './sign-ins.ts'
import { singles } from './singles.ts'
import { throttle } from './throttle.ts'

const benchmarks: Readonly<Record<string, () => Promise<BenchmarkResult>>> = {
  auth,
  deliver,
  singles,
  quiet,
  fairness,
  throttle,
  'silent-names': silentNames,
  backlog,
  history,
  reads,
  'account-filters': accountFilters,
  'sign-ins': signIns,
  beside,
}

const names = Object.keys(benchmarks)
const keepOption = '--keep'
const isKept = process.argv.includes(keepOption)
const asked = process.argv.slice(2).filter((argument) => argument !== keepOption)
const unknown = asked.filter((name) => !names.includes(name))
if (unknown.length > 0)
  throw new Error(`There is no benchmark ${unknown.join(', ')}: ${names.join(', ')}`)

/** Runs with a server of `DATABASE_URL` are kept beside those with the usual one. */
function keptName(name: string, { servers }: BenchmarkRun): string {
  const [major] = servers['PostgreSQL']?.['version']?.split('.') ?? []
  return process.env['DATABASE_URL'] ? `${name}-postgres-${major}` : name
}

const circumstances = readCircumstances()
for (const name of asked.length > 0 ? asked : names.filter((each) => each !== 'beside')) {
  const [date, startedAt] = [new Date(), performance.now()]
  const result = await benchmarks[name]!()
  const run: BenchmarkRun = {
    date: date.toISOString(),
    seconds: Math.round((performance.now() - startedAt) / 1_000),
    ...circumstances,
    ...result,
  }
  process.stdout.write(`${JSON.stringify({ benchmark: name, ...run })}\n`)
  if (isKept) keepRun(keptName(name, run), run)
}
process.exit(0)
