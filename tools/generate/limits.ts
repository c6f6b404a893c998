import {
  allowlistMax,
  createKeyToken,
  keyAccountsMax,
  keyLifetimeDaysMax,
  keyScopesMax,
  keysPerOrganizationMax,
  keysPerUserMax,
  overlapSecondsMax,
  rateLimitMax,
  revocationLimit,
  validSecretsMax,
} from '@hosting/core/api-keys'
import { refusalRowsMax } from '@hosting/core/audit'
import * as device from '@hosting/core/device-login'
import { idempotencyKeptHours } from '@hosting/core/idempotency'
import { exportedMax, pageItemsDefault, pageItemsMax, savedFiltersMax } from '@hosting/core/lists'
import {
  expiryNoticeDays,
  incidentNoticeEveryMinutes,
  mailTriesMs,
  noticesKeptDays,
} from '@hosting/core/notices'
import * as sessions from '@hosting/core/sessions'
import * as webhooks from '@hosting/core/webhooks'
import { count, defaults, minutes, retryDelays, seconds } from './facts.ts'
import { markdownTable } from './format.ts'

/** A limit, its value, and the rule. */
const limits: readonly (readonly [limit: string, value: string, rule: string])[] = [
  [
    'Requests per key and minute',
    `${rateLimitMax}; may be lower per key`,
    '[Rate limit](requests.md#rate-limit-of-a-key)',
  ],
  ['Length of a key id', `${createKeyToken().id.length} characters`, '[Token](api-keys.md#token)'],
  ['Scopes per key', `1 to ${keyScopesMax}`, '[Key record](api-keys.md#key-record)'],
  [
    'Entries of an IP allowlist',
    `1 to ${allowlistMax}`,
    '[IP allowlist](api-keys.md#ip-allowlist)',
  ],
  [
    'Accounts of a limited key',
    `1 to ${keyAccountsMax}`,
    '[Account-limited keys](api-keys.md#account-limited-keys)',
  ],
  [
    'Keys that are neither revoked nor expired',
    `${keysPerUserMax} per user, ${keysPerOrganizationMax} per organization`,
    '[Caps](api-keys.md#caps)',
  ],
  [
    'Overlap period (`grace_seconds`), keys and webhook secrets',
    `up to ${count(overlapSecondsMax)} s`,
    '[Rotation](api-keys.md#rotation)',
  ],
  ['Valid secrets per key or endpoint', `${validSecretsMax}`, '[Rotation](api-keys.md#rotation)'],
  [
    'Maximum lifetime in a key policy',
    `1 to ${count(keyLifetimeDaysMax)} days`,
    '[Key policy](api-keys.md#key-policy)',
  ],
  [
    'Revocations by token per address and minute',
    `${revocationLimit.max}`,
    '[Revocation by token](api-keys.md#revocation-by-token)',
  ],
  [
    'Device logins per address',
    `${device.deviceStartsPerMinute} per minute, ${device.devicePendingMax} pending`,
    '[Start](device-login.md#start)',
  ],
  [
    'Lifetime of a device code',
    seconds(device.deviceCodeLifetimeMs),
    '[States](device-login.md#states)',
  ],
  [
    'Polling interval',
    `${seconds(device.devicePollIntervalMs)}; \`slow_down\` adds ${seconds(device.deviceSlowDownMs)}`,
    '[Polling](device-login.md#polling)',
  ],
  [
    'Wrong user codes per user',
    `${device.wrongUserCodesMax} in ${minutes(device.wrongUserCodeWindowMs)}`,
    '[Approval](device-login.md#approval)',
  ],
  [
    'Validity of a device key',
    `${device.deviceKeyLifetimeDays} days, or the key policy's maximum if less`,
    '[Key](device-login.md#key)',
  ],
  [
    'Age of a confirmation',
    minutes(sessions.confirmationMs),
    '[Confirmation](sign-in.md#confirmation)',
  ],
  [
    'Length of a new password',
    `${sessions.passwordLengthMin} to ${sessions.passwordLengthMax} characters`,
    '[Password](sign-in.md#password)',
  ],
  [
    'Lifetime of a sign-in link',
    seconds(sessions.signInLinkMs),
    '[Sign-in links](sign-in.md#sign-in-links) <!-- platform -->',
  ],
  [
    'Length of its return path',
    `${count(sessions.returnPathLengthMax)} characters`,
    '[Create a sign-in link](internal-api.md#create-a-sign-in-link) <!-- platform -->',
  ],
  ['Form of the panel', `${sessions.formBytesMax / 2 ** 10} KiB`, '[Forms](panel.md#forms)'],
  [
    'Rejected or interrupted forms that are kept',
    `${sessions.formDraftsMax} per user, for an hour`,
    '[Forms](panel.md#forms)',
  ],
  ['Saved filters per person and list', `${savedFiltersMax}`, '[Filters](panel.md#filters)'],
  ['Recovery codes', `${sessions.recoveryCodesCount}`, '[Authenticator](sign-in.md#authenticator)'],
  [
    'Endpoints per organization',
    `${webhooks.endpointsMax}`,
    '[Endpoint record](webhooks.md#endpoint-record)',
  ],
  [
    'Event patterns per endpoint',
    `1 to ${webhooks.patternsMax}`,
    '[Event patterns](webhooks.md#event-patterns)',
  ],
  [
    'Accounts of an endpoint',
    `1 to ${webhooks.endpointAccountsMax}`,
    '[Accounts](webhooks.md#accounts)',
  ],
  [
    'Length of a webhook description',
    `${webhooks.endpointDescriptionLengthMax} characters`,
    '[Endpoint record](webhooks.md#endpoint-record)',
  ],
  [
    'Length of a webhook URL',
    `${count(webhooks.endpointUrlLengthMax)} characters`,
    '[URL](webhooks.md#url)',
  ],
  [
    'Rate limit of an endpoint',
    `1 to ${count(webhooks.endpointRateLimitMax)} attempts per second`,
    '[Rate limit](webhooks.md#rate-limit)',
  ],
  [
    'Failures in a row that open an incident',
    `${webhooks.failuresToOpen}`,
    '[Health](webhooks.md#health)',
  ],
  [
    'Hours of failures until an endpoint is disabled',
    `1 to ${webhooks.disableAfterHoursMax}`,
    '[Disabling](webhooks.md#disabling-failing-endpoints)',
  ],
  [
    'Retention of closed incidents',
    `${webhooks.recordsKeptDays} days`,
    '[Health](webhooks.md#health)',
  ],
  [
    'Custom headers per endpoint',
    `${webhooks.customHeadersMax}`,
    '[Custom headers](webhooks.md#custom-headers)',
  ],
  [
    "Length of a custom header's name and value",
    `${webhooks.customHeaderNameLengthMax} and ${count(webhooks.customHeaderValueLengthMax)} characters`,
    '[Custom headers](webhooks.md#custom-headers)',
  ],
  ['Delivery timeout', seconds(defaults.attemptTimeoutMs), '[Outcome](deliveries.md#outcome)'],
  ['Retries', retryDelays.join(', '), '[Retries](deliveries.md#retries)'],
  [
    'Retention of attempts, deliveries and events',
    `${webhooks.recordsKeptDays} days`,
    '[Retention](deliveries.md#retention)',
  ],
  ['Retention of notices', `${noticesKeptDays} days`, '[Types](notices.md#types)'],
  [
    'Notices before a key expires',
    expiryNoticeDays.map((days) => `${days} d`).join(', '),
    '[Expiring keys](notices.md#expiring-keys)',
  ],
  [
    'Notices per endpoint and type',
    `1 in ${incidentNoticeEveryMinutes} minutes`,
    '[Flapping endpoints](notices.md#flapping-endpoints)',
  ],
  [
    'Rows of refusals in the audit log, per key and reason',
    `${refusalRowsMax} per minute`,
    '[Refusals](audit-log.md#refusals)',
  ],
  [
    'Time for which sending an email is retried',
    `${mailTriesMs / 3_600_000} hours`,
    '[Mail](notices.md#mail)',
  ],
  [
    'Age of a signature that receivers accept',
    minutes(webhooks.signatureToleranceSeconds * 1_000),
    '[Signature](webhooks.md#signature)',
  ],
  [
    'Streams of `GET /webhooks/listen`',
    `${webhooks.eventStreamsMax} per organization, ${webhooks.eventStreamsPerCallerMax} per caller`,
    '[Listening](deliveries.md#listening)',
  ],
  [
    'Events per publish',
    count(webhooks.eventsPerPublicationMax),
    '[Publish events](internal-api.md#publish-events) <!-- platform -->',
  ],
  [
    'Page of a list',
    `1 to ${pageItemsMax} items, default ${pageItemsDefault}`,
    '[Lists](requests.md#lists)',
  ],
  [
    'Page of the event log',
    `1 to ${count(webhooks.eventLogPageMax)} events, default ${webhooks.eventLogPageDefault}`,
    '[Event log](deliveries.md#event-log)',
  ],
  [
    'Event patterns of the event log and of a recovery',
    `1 to ${webhooks.filterPatternsMax}`,
    '[Event log](deliveries.md#event-log)',
  ],
  [
    'Buckets of a histogram',
    `1 to ${webhooks.histogramBucketsMax}, default ${webhooks.histogramBucketsDefault}`,
    '[Histograms](deliveries.md#histograms)',
  ],
  ['Records of an export', count(exportedMax), '[Exports](requests.md#exports)'],
  [
    'Length of a search for deliveries',
    `1 to ${webhooks.searchLengthMax} characters`,
    '[Deliveries](deliveries.md)',
  ],
  [
    'Validity of an Idempotency-Key',
    `${idempotencyKeptHours} hours`,
    '[Idempotency](requests.md#idempotency)',
  ],
]

/** The table of docs/specification/limits.md. */
export const limitsTable = (): string => markdownTable(['Limit', 'Value', 'Rule'], limits)
