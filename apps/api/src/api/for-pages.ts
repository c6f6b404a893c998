// What pages show and do beyond the routes: the panel imports use cases and reads of the database only from here. A
// page that needs a record, a list or a change calls its route instead.

// Signing in and confirming in steps. Only a browser takes them: redirects, links in mails, and forms with a code.
export {
  callbackPath,
  describeProviderError,
  type IdentityProvider,
  type ProviderFlow,
} from './issuers/identity-provider.ts'
export { admitCallback, confirmByIdentity, signInByIdentity } from './use-cases/oidc-sign-in.ts'
export type { SignInContext } from './use-cases/open-session.ts'
export {
  offerPasskey,
  passkeyRequestOptions,
  relyingPartyOf,
} from './use-cases/passkey-verification.ts'
export { passkeyCreationOptions } from './use-cases/passkeys.ts'
export { mayChangePassword } from './use-cases/passwords.ts'
export { completeSignIn, createPendingSignIn, isPending } from './use-cases/pending-sign-in.ts'
export { readSignInLink, redeemSignInLink } from './use-cases/sign-in-links.ts'
export { CodeRequired } from './use-cases/sign-in.ts'
export { readTotpState } from './use-cases/totp.ts'

// Forms that are kept until the person has signed in or confirmed their identity.
export { createFormDraft, takeFormDraft } from '@hosting/postgres/sessions'

// Filters that a person saves under names.
export {
  deleteSavedFilter,
  listSavedFilters,
  saveFilter,
  type PersonalList,
  type SavedFilter,
} from '@hosting/postgres/lists'

// Actions on many records, of which a route has each, and checks of input before a page asks for a confirmation.
export { bulkMax, readBulk, readSelected, type BulkDeliveries } from './use-cases/bulk.ts'
export { countRecovery } from './use-cases/recoveries.ts'
export { redeliverOne } from './use-cases/redeliver.ts'
export { tryIdentityToken, type TokenTrial } from './use-cases/try-identity-token.ts'
export { requireAllowedHeaders } from './use-cases/endpoint-headers.ts'

// Reads that only pages show: names instead of ids, choices of forms, counts with a limit, charts.
export { countKeyUses, type ExpiringKey } from '@hosting/postgres/api-keys'
export {
  findAuditTargetNames,
  listAuditChoices,
  type AuditChoices,
  type AuditTarget,
  type AuditTargetName,
} from '@hosting/postgres/audit'
export {
  countRetries,
  lostCountMax,
  retriedNowMax,
  type BulkKind,
  type DeliveryBucket,
  type DeliveryFilter,
} from '@hosting/postgres/deliveries'
export { countUnreadNotices } from '@hosting/postgres/notices'
export {
  hasPassword,
  hasSecondFactor,
  listPasskeys,
  type SignInRecord,
} from '@hosting/postgres/sessions'
export {
  waitingCountMax,
  type EventHistogram,
  type IncidentFailure,
  type IncidentFailures,
  type ListedEvent,
  type RecoveryCount,
} from '@hosting/postgres/webhooks'
export type { PreviousSecretUse } from './records/api-key.ts'
export {
  readChartStats,
  statsWindows,
  type ChartStats,
  type StatsItem,
  type StatsWindow,
} from './use-cases/attempt-stats.ts'
export type { EndpointIssue, IssueKind } from './use-cases/attention.ts'
export { countWithin, type Completeness } from './use-cases/completeness.ts'
export { readEndpointHistory, type EndpointHistory } from './use-cases/endpoint-history.ts'
export { readNewestEvents, toEventFilter } from './use-cases/event-log.ts'
export { countShownDeliveries, countShownEvents } from './use-cases/histograms.ts'
export { readIncidentFailures } from './use-cases/incidents.ts'
export {
  readAccountChoices,
  readAccountNames,
  readEndpointAccountChoices,
  serviceRoles,
  type AccountChoices,
  type KeyUser,
} from './use-cases/key-accounts.ts'
export { readKeyLineage, type KeyLineage, type KeyTree } from './use-cases/key-lineage.ts'
export { readKeyPolicy, type KeyPolicyWarning } from './use-cases/key-policy.ts'
export { readExpiringKeys, readMostUsedKeys, readTraffic } from './use-cases/overview.ts'
export { readPreviousSecretUse } from './use-cases/key-access.ts'
export { readPolicyReach, type PolicyReach } from './use-cases/security-policy.ts'
