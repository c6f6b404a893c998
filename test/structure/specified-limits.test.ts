import { expect, test } from '@jest/globals'
import {
  allowlistMax,
  createKeyToken,
  keyAccountsMax,
  keyLifetimeDaysMax,
  keyScopesMax,
  keysPerOrganizationMax,
  keysPerUserMax,
  overlapSecondsDefault,
  overlapSecondsMax,
  rateLimitMax,
  revocationLimit,
  validSecretsMax,
} from '@hosting/core/api-keys'
import { refusalRowsMax } from '@hosting/core/audit'
import { loadConfig } from '@hosting/core/configuration'
import * as device from '@hosting/core/device-login'
import {
  idempotencyKeptHours,
  idempotencyKeyLengthMax,
  idempotencyLockMs,
  oneTimeMembers,
} from '@hosting/core/idempotency'
import { exportedMax, pageItemsDefault, pageItemsMax, savedFiltersMax } from '@hosting/core/lists'
import {
  expiryNoticeDays,
  incidentNoticeEveryMinutes,
  mailTriesMs,
  noticesKeptDays,
} from '@hosting/core/notices'
import { rateBucketMs, rateWindowMs } from '@hosting/core/rate-limit'
import { resources, scopes } from '@hosting/core/scopes'
import * as sessions from '@hosting/core/sessions'
import * as webhooks from '@hosting/core/webhooks'
import { oneTimeMembers as oneTimeMembersOfSdk } from '../../packages/sdk/src/connection/response.ts'
import { slowDownMs } from '../../packages/sdk/src/device-login/decide-next-poll.ts'
import { toleranceSecondsDefault } from '../../packages/sdk/src/verify-webhook.ts'
import { readSources } from './sources.ts'

const count = (value: number): string => value.toLocaleString('en-US')
const seconds = (ms: number): string => `${count(ms / 1_000)} s`
const minutes = (ms: number): string => `${ms / 60_000} minutes`

const delay = (ms: number): string => {
  if (ms < 60_000) return seconds(ms)
  return ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`
}

/** `a, b and c`. */
const listOf = (items: readonly string[]): string =>
  items.join(', ').replace(/, (?=[^,]*$)/, ' and ')

const { attemptTimeoutMs, retryDelaysMs } = loadConfig({
  DATABASE_URL: 'postgresql://127.0.0.1/none',
  REDIS_URL: 'redis://127.0.0.1',
})

const delays = retryDelaysMs.map(delay)

/** The table of docs/specification/limits.md, made of the constants of packages/core. */
const limits: Readonly<Record<string, string>> = {
  'Requests per key and minute': `${rateLimitMax}; may be lower per key`,
  'Length of a key id': `${createKeyToken().id.length} characters`,
  'Scopes per key': `1 to ${keyScopesMax}`,
  'Entries of an IP allowlist': `1 to ${allowlistMax}`,
  'Accounts of a limited key': `1 to ${keyAccountsMax}`,
  'Keys that are neither revoked nor expired': `${keysPerUserMax} per user, ${keysPerOrganizationMax} per organization`,
  'Overlap period (`grace_seconds`), keys and webhook secrets': `up to ${count(overlapSecondsMax)} s`,
  'Valid secrets per key or endpoint': `${validSecretsMax}`,
  'Maximum lifetime in a key policy': `1 to ${count(keyLifetimeDaysMax)} days`,
  'Revocations by token per address and minute': `${revocationLimit.max}`,
  'Device logins per address': `${device.deviceStartsPerMinute} per minute, ${device.devicePendingMax} pending`,
  'Lifetime of a device code': seconds(device.deviceCodeLifetimeMs),
  'Polling interval': `${seconds(device.devicePollIntervalMs)}; \`slow_down\` adds ${seconds(slowDownMs)}`,
  'Wrong user codes per user': `${device.wrongUserCodesMax} in ${minutes(device.wrongUserCodeWindowMs)}`,
  'Validity of a device key': `${device.deviceKeyLifetimeDays} days, or the key policy's maximum if less`,
  'Age of a confirmation': minutes(sessions.confirmationMs),
  'Length of a new password': `${sessions.passwordLengthMin} to ${sessions.passwordLengthMax} characters`,
  'Lifetime of a sign-in link': seconds(sessions.signInLinkMs),
  'Length of its return path': `${count(sessions.returnPathLengthMax)} characters`,
  'Form of the panel': `${sessions.formBytesMax / 2 ** 10} KiB`,
  'Rejected or interrupted forms that are kept': `${sessions.formDraftsMax} per user, for an hour`,
  'Saved filters per person and list': `${savedFiltersMax}`,
  'Recovery codes': `${sessions.recoveryCodesCount}`,
  'Endpoints per organization': `${webhooks.endpointsMax}`,
  'Event patterns per endpoint': `1 to ${webhooks.patternsMax}`,
  'Accounts of an endpoint': `1 to ${webhooks.endpointAccountsMax}`,
  'Length of a webhook description': `${webhooks.webhookDescriptionLengthMax} characters`,
  'Length of a webhook URL': `${count(webhooks.webhookUrlLengthMax)} characters`,
  'Rate limit of an endpoint': `1 to ${count(webhooks.endpointRateLimitMax)} attempts per second`,
  'Failures in a row that open an incident': `${webhooks.failuresToOpen}`,
  'Hours of failures until an endpoint is disabled': `1 to ${webhooks.disableAfterHoursMax}`,
  'Retention of closed incidents': `${webhooks.recordsKeptDays} days`,
  'Custom headers per endpoint': `${webhooks.customHeadersMax}`,
  "Length of a custom header's name and value": `${webhooks.customHeaderNameLengthMax} and ${count(webhooks.customHeaderValueLengthMax)} characters`,
  'Delivery timeout': seconds(attemptTimeoutMs),
  Retries: delays.join(', '),
  'Retention of attempts, deliveries and events': `${webhooks.recordsKeptDays} days`,
  'Retention of notices': `${noticesKeptDays} days`,
  'Notices before a key expires': expiryNoticeDays.map((days) => `${days} d`).join(', '),
  'Notices per endpoint and type': `1 in ${incidentNoticeEveryMinutes} minutes`,
  'Rows of refusals in the audit log, per key and reason': `${refusalRowsMax} per minute`,
  'Time for which sending an email is retried': `${mailTriesMs / 3_600_000} hours`,
  'Age of a signature that receivers accept': minutes(toleranceSecondsDefault * 1_000),
  'Streams of `GET /webhooks/listen`': `${webhooks.eventStreamsMax} per organization, ${webhooks.eventStreamsPerCallerMax} per caller`,
  'Events per publish': count(webhooks.eventsPerPublicationMax),
  'Page of a list': `1 to ${pageItemsMax} items, default ${pageItemsDefault}`,
  'Page of the event log': `1 to ${count(webhooks.eventLogPageMax)} events, default ${webhooks.eventLogPageDefault}`,
  'Event patterns of the event log and of a recovery': `1 to ${webhooks.filterPatternsMax}`,
  'Records of an export': count(exportedMax),
  'Buckets of a histogram': `1 to ${webhooks.histogramBucketsMax}, default ${webhooks.histogramBucketsDefault}`,
  'Length of a search for deliveries': `1 to ${webhooks.searchLengthMax} characters`,
  'Validity of an Idempotency-Key': `${idempotencyKeptHours} hours`,
}

const retryHours = Math.round(retryDelaysMs.reduce((sum, ms) => sum + ms, 0) / 3_600_000)
const retrySchedule = `after ${listOf(delays)}: ${delays.length + 1} attempts in about ${retryHours} hours`

const tolerance = webhooks.signatureToleranceSeconds
const rateWindowSeconds = rateWindowMs / 1_000

const oneTimeNames = oneTimeMembers.map((name) => `\`${name}\``)

/** Sentences about these constants in files that cannot import them. */
const repeated: Readonly<Record<string, readonly string[]>> = {
  'ARCHITECTURE.md': [
    `no span of ${rateWindowSeconds} seconds ever contains more requests`,
    `counted in buckets of ${rateBucketMs / 1_000} seconds`,
  ],
  'README.md': [`retried for ${retryHours} hours`],
  'apps/cli/src/api-keys/commands.ts': [
    `Maximum requests per minute, 1 to ${rateLimitMax}`,
    `the old secret stays valid (default: ${overlapSecondsDefault || 'none'})`,
  ],
  'apps/cli/src/webhooks/commands.ts': [
    `both secrets sign (default: ${overlapSecondsDefault || 'none'})`,
  ],
  'clients/python/hosting_sdk/_device_login.py': [
    `SLOW_DOWN_SECONDS = ${(device.deviceSlowDownMs / 1_000).toFixed(1)}`,
  ],
  'docs/glossary.md': [`the most requests in any ${rateWindowSeconds} seconds`],
  'docs/quickstart/curl/verify.sh': [`-le ${tolerance} ]`],
  'docs/specification/api-keys.md': [
    `no \`accounts\`, ${rateLimitMax} requests per minute`,
    `0 to ${count(overlapSecondsMax)} seconds, default ${overlapSecondsDefault}.`,
  ],
  'docs/operations.md': [`idempotent requests for ${idempotencyKeptHours} hours`],
  'docs/specification/deliveries.md': [
    `\`number\` (1 to ${delays.length + 1})`,
    retrySchedule,
    `up to ${Math.round(webhooks.retrySpreadShare * 100)}% of its delay, and at most ${webhooks.retrySpreadMsMax / 1_000} seconds`,
  ],
  'docs/specification/device-login.md': [
    `"expires_in": ${device.deviceCodeLifetimeMs / 1_000}, "interval": ${device.devicePollIntervalMs / 1_000} }`,
    `less than \`interval\` minus ${(device.devicePollIntervalMs - device.devicePollMsMin) / 1_000} second after`,
    `adds ${device.deviceSlowDownMs / 1_000} seconds to its interval for every \`slow_down\``,
    `After ${device.wrongUserCodesMax} wrong codes within ${minutes(device.wrongUserCodeWindowMs)}`,
  ],
  'docs/specification/index.md': [`${resources.length} resources and their permissions`],
  'docs/specification/requests.md': [
    `with 1 to ${idempotencyKeyLengthMax} printable ASCII characters`,
    `The key is valid for ${idempotencyKeptHours} hours`,
    `has not finished after ${idempotencyLockMs / 1_000} seconds`,
    `has \`null\` for ${listOf(oneTimeNames)}.`,
    `No ${rateWindowSeconds}-second span`,
    `q=${rateLimitMax};w=${rateWindowSeconds} `,
    `r=${rateLimitMax - 1};t=${rateWindowSeconds} `,
  ],
  'docs/specification/scopes.md': [
    `There are ${resources.length} resources, which gives ${scopes.length} scopes.`,
    `The resources are ${listOf(resources)}.`,
  ],
  'docs/specification/webhooks.md': [
    `\`grace_seconds\` up to ${count(overlapSecondsMax)}, default ${overlapSecondsDefault}, and`,
    `refuses a \`t\` more than ${minutes(tolerance * 1_000)} from its own clock`,
  ],
  'docs/webhooks.md': [
    retrySchedule,
    `(at most ${overlapSecondsMax}, a day)`,
    `by more than ${minutes(tolerance * 1_000)} (${tolerance} seconds) in either direction`,
  ],
  'docs/webhooks/verify.go': [`toleranceSeconds = ${tolerance} `],
  'docs/webhooks/verify.php': [`WEBHOOK_TOLERANCE_SECONDS = ${tolerance};`],
  'docs/webhooks/verify.py': [`TOLERANCE_SECONDS = ${tolerance} `],
  'docs/webhooks/verify.rb': [`TOLERANCE_SECONDS = ${tolerance} `],
  'packages/sdk/src/verify-webhook.ts': [`in seconds; default: ${tolerance}. `],
  'prisma/schema.prisma': [
    `rateLimitPerMinute Int @default(${rateLimitMax})`,
    `kept for ${idempotencyKeptHours} hours for requests with an Idempotency-Key`,
  ],
}

test.each(Object.entries(repeated))(
  '%s repeats the limits of packages/core',
  async (path, texts) => {
    const [source] = await readSources(path)
    const text = source!.text.replaceAll(/\s+/g, ' ')
    expect(texts.filter((sentence) => !text.includes(sentence))).toEqual([])
  },
)

test('the limits of the specification match those of packages/core', async () => {
  const [source] = await readSources('docs/specification/limits.md')
  const rows = source!.text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
  expect(Object.fromEntries(rows.map(([, limit, value]) => [limit, value]))).toEqual(limits)
})

test('the SDK, which cannot import packages/core, has the same values', () => {
  expect(toleranceSecondsDefault).toBe(webhooks.signatureToleranceSeconds)
  expect(slowDownMs).toBe(device.deviceSlowDownMs)
  expect(oneTimeMembersOfSdk).toEqual(oneTimeMembers)
})
