import { until } from './until.ts'

/** The operators' URL of a process. */
interface Observed {
  readonly internalPort: number
}

/** The body of a process's `/readyz`. */
export async function readiness({ internalPort }: Observed) {
  const response = await fetch(`http://127.0.0.1:${internalPort}/readyz`)
  const { checks } = (await response.json()) as { checks: Record<string, string> }
  return { status: response.status, checks }
}

/** Waits until a worker has completed more rounds of a duty. */
export async function untilRounds(worker: Observed, duty: string, further: number): Promise<void> {
  const before = await countRounds(worker, duty)
  await until(
    () => countRounds(worker, duty),
    (rounds) => rounds >= before + further,
  )
}

/** Waits until a worker has completed a round of a duty. */
export const untilRan = async (worker: Observed, duty: string): Promise<void> =>
  void (await until(
    () => countRounds(worker, duty),
    (rounds) => rounds > 0,
  ))

const countRounds = (worker: Observed, duty: string): Promise<number> =>
  readMetric(worker, `hosting_duty_seconds_count{duty="${duty}"}`)

/** The value of a series of a process, such as `name{label="value"}`; 0 if the series does not exist. */
export async function readMetric({ internalPort }: Observed, series: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return Number(line?.slice(series.length) ?? 0)
}
