import { until } from './until.ts'

/** Where a process answers operators. */
interface Observed {
  readonly internalPort: number
}

/** What `/readyz` of a process says. */
export async function readiness({ internalPort }: Observed) {
  const response = await fetch(`http://127.0.0.1:${internalPort}/readyz`)
  const { checks } = (await response.json()) as { checks: Record<string, string> }
  return { status: response.status, checks }
}

/** Waits until a worker has finished further rounds of a duty. */
export async function untilRounds(worker: Observed, duty: string, further: number): Promise<void> {
  const before = await countRounds(worker, duty)
  await until(
    () => countRounds(worker, duty),
    (rounds) => rounds >= before + further,
  )
}

async function countRounds({ internalPort }: Observed, duty: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text()
  const pattern = new RegExp(`^hosting_duty_seconds_count{duty="${duty}"} (\\d+)`, 'm')
  return Number(pattern.exec(text)?.[1] ?? 0)
}
