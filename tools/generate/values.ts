import { publicRoutes, takesIdempotencyKey, type Route } from '@hosting/api'
import * as keys from '@hosting/core/api-keys'
import { readTurnLimits } from '@hosting/core/concurrency'
import * as device from '@hosting/core/device-login'
import * as idempotency from '@hosting/core/idempotency'
import { globalUnicast, refusedUnicast } from '@hosting/core/network'
import { rateBucketMs, rateWindowMs } from '@hosting/core/rate-limit'
import { resources, scopes } from '@hosting/core/scopes'
import * as webhooks from '@hosting/core/webhooks'
import { readFileSync } from 'node:fs'
import { root } from '../run.ts'
import { count, listOf, minutes, retryDelays, retryHours, seconds } from './facts.ts'

const tolerance = webhooks.signatureToleranceSeconds
const window = `${rateWindowMs / 1_000}`
const code = (text: string): string => `\`${text}\``
const routes = publicRoutes as unknown as readonly Route[]

/** Reads a number that a file sets, because it is private to the file. */
function numberIn(path: string, name: string): number {
  const source = readFileSync(root + path, 'utf8')
  const [, digits] = new RegExp(String.raw`\b${name}(?: =|:) ([\d_.]+)`).exec(source) ?? []
  if (digits === undefined) throw new Error(`${path} sets no number ${name}`)
  return Number(digits.replaceAll('_', ''))
}

const admission = (name: string) => numberIn('apps/api/src/api/publishing/first-jobs.ts', name)
const lookups = (name: string) => numberIn('packages/process/src/outbound/resolver.ts', name)
const quarantine = (name: string) => numberIn('packages/process/src/outbound/quarantine.ts', name)
const pace = (name: string) => numberIn('apps/worker/src/duties/deliveries.ts', name)
const delivery = (file: string, name: string) => numberIn(`apps/worker/src/delivery/${file}`, name)
const shares = (name: string) => delivery('fairness.ts', name)
const postgres = (file: string, name: string) => numberIn(`packages/postgres/src/${file}`, name)
const examined = (file: string, name = 'examinedMax') => count(postgres(file, name))

/** The numbers of docs/specification/fairness.md. */
const fairness: Readonly<Record<string, () => string>> = {
  'first-jobs': () =>
    `${admission('perTenantMax')} per API process in ${admission('sampleMs')} ms, while the queue has fewer than ${count(admission('shortQueueMax'))} jobs`,
  'slot-wait': () => `${delivery('lanes.ts', 'slotWaitMs')} ms`,
  'slow-slots': () =>
    `${webhooks.endpointSlotsOf(1_000).slow / 10}% of it, rounded up, in the slow lane`,
  'many-long-attempts': () =>
    `at least ${Math.round(shares('longShare') * 100)}% of the slots of the normal lane, and at least ${shares('longDetachedMin')}`,
  'long-tenants': () => `${Math.round(shares('longTenantsShare') * 100)}% of the lane`,
  'share-postponed': () => `postponed by ${seconds(delivery('postpone.ts', 'share'))}`,
  'detached-max': () => `${shares('detachedFactor')} times the slots of the normal lane`,
  'detached-after': () => `takes longer than ${seconds(shares('detachAfterMs'))}`,
  'lookup-postponed': () => `postponed by ${seconds(delivery('postpone.ts', 'lookup'))}`,
  quarantine: () =>
    `no lookup for ${quarantine('shortestMs') / 1_000} to ${seconds(quarantine('longestMs'))}`,
  'slow-lane': () => `in the last ${minutes(webhooks.slowLaneMs)}`,
  lookups: () =>
    `${lookups('perTenantMax')}, and ${lookups('totalMax')} in total; lookups that take longer than ${lookups('promptMs')} ms count separately: ${lookups('slowPerTenantMax')}, and ${count(lookups('slowTotalMax'))} in total`,
  'lookup-wait': () => `for ${seconds(lookups('waitMsMax'))}`,
  reads: () => `${readTurnLimits.perKey}, and ${readTurnLimits.total} in total`,
  'reads-waiting': () =>
    `up to ${readTurnLimits.waitingPerCaller} requests of a key or person for ${seconds(readTurnLimits.waitMs)}`,
  'recovery-pace': () =>
    `${pace('stepMax')} deliveries per endpoint in ${pace('stepMs')} ms, ${pace('recoveriesMax')} endpoints at a time`,
  'retried-now': () => examined('deliveries/retry-now.ts', 'retriedNowMax'),
  'examined-deliveries': () =>
    `${examined('deliveries/filtered-deliveries.ts')} deliveries for a page`,
  'examined-per-source': () =>
    `${examined('deliveries/delivery-sources.ts', 'examinedPerSource')} deliveries in each index, and ${examined('deliveries/delivery-sources.ts', 'queuedMax')} of the queue,`,
  'examined-audit': () => `${examined('audit/audit-log.ts')} entries in each index`,
  'examined-keys': () => `${examined('api-keys/key-list.ts')} keys for a page`,
  'examined-notices': () => `${examined('notices/notices.ts')} notices for a page`,
  'examined-sessions': () => `${examined('sessions/sessions.ts')} sessions in each index`,
  'examined-events': () => `${examined('webhooks/event-log.ts')} events for a page`,
  'recovery-count': () =>
    `${examined('webhooks/recoveries.ts', 'countedMax')} deliveries or events in a statement, and none starts after ${seconds(numberIn('apps/api/src/api/use-cases/recoveries.ts', 'countMsMax'))}`,
  'statement-timeout': () =>
    `which PostgreSQL ends after ${seconds(postgres('database/timeouts.ts', 'statementMs'))}`,
}

/** What documents say in a sentence, between `<!-- value NAME -->` and `<!-- /value -->`. */
export const values: Readonly<Record<string, () => string>> = {
  ...fairness,
  'retry-hours': () => `retried for ${retryHours} hours`,
  'retry-schedule': () =>
    `after ${listOf(retryDelays)}: ${retryDelays.length + 1} attempts in about ${retryHours} hours`,
  'attempt-numbers': () => `1 to ${retryDelays.length + 1}`,
  'retry-spread': () =>
    `up to ${Math.round(webhooks.retrySpreadShare * 100)}% of its delay, and at most ${webhooks.retrySpreadMsMax / 1_000} seconds`,
  'rate-window': () => `${window} seconds`,
  'rate-span': () => `${window}-second span`,
  'rate-buckets': () => `buckets of ${rateBucketMs / 1_000} seconds`,
  'rate-limit-default': () => `${keys.rateLimitMax} requests per minute`,
  'key-overlap': () =>
    `0 to ${count(keys.overlapSecondsMax)} seconds, default ${keys.overlapSecondsDefault}`,
  'secret-overlap': () =>
    `\`grace_seconds\` up to ${count(keys.overlapSecondsMax)}, default ${keys.overlapSecondsDefault}`,
  'overlap-max': () => `at most ${keys.overlapSecondsMax}`,
  'token-pattern': () =>
    code(
      keys.keyTokenPattern.source
        .replaceAll(/[()]/g, '')
        .replace(keys.keyPrefixPattern.slice(1, -1), keys.keyPrefix),
    ),
  'idempotency-kept': () => `${idempotency.idempotencyKeptHours} hours`,
  'idempotency-key-length': () =>
    `with 1 to ${idempotency.idempotencyKeyLengthMax} printable ASCII characters`,
  'idempotency-lock': () =>
    `has not finished after ${idempotency.idempotencyLockMs / 1_000} seconds`,
  'one-time-members': () => listOf(idempotency.oneTimeMembers.map(code)),
  'idempotency-ignored': () => {
    const paths = routes
      .filter((route) => route.kind !== 'read' && !takesIdempotencyKey(route))
      .map(({ path }) => path.replace(/^(\/auth\/factors)\/.*/, '$1/…'))
    return listOf([...new Set(paths)].map(code))
  },
  'device-errors': () =>
    listOf(
      routes
        .filter(({ errorFormat }) => errorFormat === 'device')
        .map(({ method, path }) => code(`${method} ${path}`)),
    ),
  'device-poll-min': () =>
    `minus ${(device.devicePollIntervalMs - device.devicePollMsMin) / 1_000} second`,
  'device-slow-down': () => `adds ${device.deviceSlowDownMs / 1_000} seconds`,
  'device-wrong-codes': () =>
    `after ${device.wrongUserCodesMax} wrong codes within ${minutes(device.wrongUserCodeWindowMs)}`,
  'resource-count': () => `${resources.length} resources`,
  'scope-count': () => `${scopes.length} scopes`,
  resources: () => listOf(resources),
  tolerance: () => minutes(tolerance * 1_000),
  'tolerance-seconds': () => `${minutes(tolerance * 1_000)} (${tolerance} seconds)`,
  'global-unicast': () => code(globalUnicast),
  'refused-addresses': () =>
    listOf(refusedUnicast.map((range) => code(range.replace(/\/32$/, '')))),
}
