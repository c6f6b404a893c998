import { expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { until } from '../../../test/support/until.ts'
import { addNodeMetrics } from '../src/connection-metrics.ts'

const registry = new Registry()
addNodeMetrics(registry)

/** Node measures at the second of its timers of 100 ms after a scrape for the first time. */
const measuringMs = 600

/** What the next scrape reads after some work: the delay, and the p99 of the intervals between the timers. */
async function measure(
  work: () => void,
): Promise<{ readonly delay: number; readonly p99: number }> {
  await registry.metrics()
  await setTimeout(measuringMs)
  work()
  await setTimeout(measuringMs)
  const metrics = await registry.getMetricsAsJSON()
  const valueOf = (name: string): number =>
    metrics.find((metric) => metric.name === name)!.values[0]!.value
  return {
    delay: valueOf('hosting_event_loop_delay_seconds'),
    p99: valueOf('nodejs_eventloop_lag_p99_seconds'),
  }
}

test('an idle process has almost no delay of its event loop', async () => {
  const { delay, p99 } = await until(
    () => measure(() => undefined),
    (measured) => measured.delay < 0.05,
  )
  expect(delay).toBeCloseTo(p99 - 0.25, 2)
})

test('the delay is about as long as the event loop was blocked', async () => {
  const { delay } = await measure(() => {
    const end = Date.now() + 700
    while (Date.now() < end);
  })
  // The block may begin at any time between two timers.
  expect(delay).toBeGreaterThan(0.4)
})
