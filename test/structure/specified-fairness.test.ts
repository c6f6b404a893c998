import { readTurnLimits } from '@hosting/core/concurrency'
import { endpointSlotsOf, slowLaneMs } from '@hosting/core/webhooks'
import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { readSources } from './sources.ts'

const count = (value: number): string => value.toLocaleString('en-US')
const seconds = (ms: number): string => `${ms / 1_000} s`

/** Reads a number that a file sets: most of these limits are private to their file. */
function numberIn(path: string, name: string): number {
  const source = readFileSync(root + path, 'utf8')
  const [, digits] = new RegExp(String.raw`\b${name}(?: =|:) ([\d_.]+)`).exec(source) ?? []
  if (digits === undefined) throw new Error(`${path} sets no number ${name}`)
  return Number(digits.replaceAll('_', ''))
}

const admission = (name: string) => numberIn('apps/api/src/api/publishing/job-admission.ts', name)
const lookups = (name: string) => numberIn('packages/process/src/outbound/resolver.ts', name)
const quarantine = (name: string) => numberIn('packages/process/src/outbound/quarantine.ts', name)
const pace = (name: string) => numberIn('apps/worker/src/duties/recover.ts', name)
const delivery = (file: string, name: string) => numberIn(`apps/worker/src/delivery/${file}`, name)
const tenantShares = (name: string) => delivery('tenant-shares.ts', name)
const postgres = (file: string, name: string) => numberIn(`packages/postgres/src/${file}`, name)

/** What docs/specification/fairness.md says about limits, made of the numbers in the code. */
const sentences = [
  `${admission('perTenantMax')} per API process in ${admission('sampleMs')} ms, while the queue has fewer than ${count(admission('shortQueueMax'))} jobs`,
  `${delivery('start-lanes.ts', 'slotWaitMs')} ms, then it is postponed`,
  `at least ${Math.round(tenantShares('longShare') * 100)}% of the slots of the normal lane, and at least ${tenantShares('longDetachedMin')}.`,
  `postponed by ${seconds(delivery('postpone.ts', 'share'))}`,
  `${delivery('detached.ts', 'detachedFactor')} times the slots of the normal lane`,
  `postponed by ${seconds(delivery('postpone.ts', 'lookup'))} | \`apps/worker/src/delivery/detached.ts`,
  `no lookup for ${quarantine('shortestMs') / 1_000} to ${seconds(quarantine('longestMs'))}`,
  `endpoints that timed out, or whose slow name lookup failed, in the last ${slowLaneMs / 60_000} minutes`,
  `${lookups('perTenantMax')}, and ${lookups('totalMax')} in total; lookups that take longer than ${lookups('promptMs')} ms count separately: ${lookups('slowPerTenantMax')}, and ${count(lookups('slowTotalMax'))} in total | for ${seconds(lookups('waitMsMax'))}, then the attempt fails`,
  `organization, then key or person | ${readTurnLimits.perKey}, and ${readTurnLimits.total} in total | up to ${readTurnLimits.waitingPerCaller} requests of a key or person for ${seconds(readTurnLimits.waitMs)}`,
  `${pace('stepMax')} deliveries per endpoint in ${pace('stepMs')} ms, ${pace('recoveriesMax')} endpoints at a time`,
  `${count(postgres('deliveries/retry-now.ts', 'retriedNowMax'))} become due in the request`,
  `together | ${count(postgres('deliveries/filtered-deliveries.ts', 'examinedMax'))} deliveries for a page`,
  `last attempt | ${count(postgres('deliveries/delivery-sources.ts', 'examinedPerSource'))} deliveries in each index`,
  `Audit log | ${count(postgres('audit/audit-log.ts', 'examinedMax'))} entries in each index`,
  `Keys | ${count(postgres('api-keys/key-list.ts', 'examinedMax'))} keys for a page`,
  `Notices | ${count(postgres('notices/notices.ts', 'examinedMax'))} notices for a page`,
  `Sessions | ${count(postgres('sessions/sessions.ts', 'examinedMax'))} sessions in each index`,
  `Event log | ${count(postgres('webhooks/event-log.ts', 'examinedMax'))} events for a page`,
  `${count(postgres('webhooks/recoveries.ts', 'countedMax'))} deliveries or events in a statement, and none starts after ${seconds(numberIn('apps/api/src/api/use-cases/recoveries.ts', 'countMsMax'))}`,
  `which PostgreSQL ends after ${seconds(postgres('database/timeouts.ts', 'statementMs'))}`,
]

test.each(sentences)('fairness.md states the limits of the code: %s', async (sentence) => {
  const [source] = await readSources('docs/specification/fairness.md')
  expect(source!.text.replaceAll(/\s+/g, ' ')).toContain(sentence)
})

test('fairness.md states when an attempt leaves its lane, and the share of organizations with many long attempts', async () => {
  const [source] = await readSources('docs/specification/fairness.md')
  expect(delivery('detached.ts', 'detachAfterMs')).toBe(1_000)
  expect(source!.text).toContain('takes longer than a second')
  expect(tenantShares('longTenantsShare')).toBe(0.5)
  expect(source!.text).toContain('half of the lane')
  expect(endpointSlotsOf(1_000).slow).toBe(200)
  expect(source!.text).toContain('a fifth of it, rounded up, in the slow lane')
})
