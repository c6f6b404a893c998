/** Maximum length of the URL of an issuer, in characters. */
export const issuerLengthMax = 255

/** Maximum number of claims that the conditions of a workload key name. */
export const conditionsMax = 10

/** Maximum number of strings that a condition accepts. */
export const conditionValuesMax = 20

/** Maximum length of the name of a claim in a condition, in characters. */
export const claimNameLengthMax = 255

/** Maximum length of a string of a condition, in characters. */
export const conditionValueLengthMax = 1_024

/** Minimum number of characters before the `*` of a condition on `sub`, which often names many workloads. */
export const subjectPrefixLengthMin = 8

/** Minimum number of characters before the `*` of a condition on another claim. */
export const conditionPrefixLengthMin = 1

/** Maximum length of an audience that the creator of a key chooses, in characters. */
export const audienceLengthMax = 255

/** Minimum lifetime of an exchanged token, in seconds. */
export const tokenLifetimeSecondsMin = 60

/** Default lifetime of an exchanged token, in seconds. */
export const tokenLifetimeSecondsDefault = 900

/** Maximum lifetime of an exchanged token, in seconds. */
export const tokenLifetimeSecondsMax = 3_600

/** Maximum number of live exchanged tokens of a key. */
export const liveTokensMax = 50

/** The most successful exchanges of a key. */
export const exchangeLimit = { max: 60, windowMs: 60_000 }

/** The most exchanges per IPv4 address or IPv6 /64 that get `invalid_grant` or 503. */
export const refusedExchangeLimit = { max: 20, windowMs: 60_000 }

/** The most refused exchanges of a key that are recorded in the audit log one by one. */
export const recordedRefusalLimit = { max: 100, windowMs: 60_000 }

/** The most exchanges of a key with 429 that are recorded in the audit log. */
export const recordedWaitLimit = { max: 1, windowMs: 60_000 }

/** The most new subjects of a key in 24 hours of which the organization's admins are notified. */
export const newSubjectNoticesMax = 10

/** How long a subject is known after its last exchange, in days. Then it counts as new again. */
export const subjectsKeptDays = 90

/** The tolerance of the times of an identity token, in seconds. */
export const identityTokenToleranceSeconds = 60

/** The longest time between `iat` and `exp` of an identity token, in seconds. */
export const identityTokenLifetimeSecondsMax = 90_000

/** The most keys of an issuer that are tried for a token. */
export const keysTriedMax = 4

/** The most keys of an issuer that are kept: the first of its key set that can sign identity tokens. */
export const issuerKeysMax = 50

/** Maximum length of a key id, in characters. */
export const keyIdLengthMax = 512

/** How long the documents of an issuer are cached, in ms. */
export const issuerCacheMs = 600_000

/** How long the last keys of an issuer are used while it cannot be read, from their read on, in ms. */
export const issuerKeysKeptMs = 3_600_000

/** How long the first failed read of an issuer is cached, in ms. Each further one is cached for twice as long. */
export const issuerFailureCacheMs = 5_000

/** The longest time for which a failed read of an issuer is cached, in ms. */
export const issuerFailureCacheMsMax = 60_000

/** The minimum time between two reads of an issuer because of unknown key ids, in ms. */
export const issuerReadAgainMs = 30_000

/** The most reads of issuers that run at a time in a process: for an organization, and in total. */
export const issuerReadTurns = { perKey: 20, total: 256, waitMs: 5_000 }

/** The most reads of issuers that fail for an organization in a process. */
export const failedIssuerReadLimit = { max: 60, windowMs: 60_000 }

/** How much memory the keys of issuers take in a process, in bytes: those of an organization, and all. */
export const issuerCacheBytes = { perTenant: 1_048_576, total: 16_777_216 }

/** The time within which both documents of an issuer must be read, in ms. */
export const issuerReadTimeoutMs = 5_000

/** Maximum size of a document of an issuer, in bytes. */
export const issuerDocumentBytesMax = 65_536
