/** Maximum length of the URL of an issuer, in characters. */
export const issuerLengthMax = 255

/** Maximum number of claims that the conditions of a workload key name. */
export const conditionsMax = 10

/** Maximum number of strings that a condition accepts. */
export const conditionValuesMax = 20

/** Maximum length of the claim and of a string of a condition, in characters. */
export const conditionValueLengthMax = 255

/** Minimum number of characters before the `*` of a condition. */
export const conditionPrefixLengthMin = 8

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

/** The most exchanges per IPv4 address or IPv6 /64 that are refused as `invalid_grant`. */
export const refusedExchangeLimit = { max: 20, windowMs: 60_000 }

/** The most refused exchanges of a key that are recorded in the audit log one by one. */
export const recordedRefusalLimit = { max: 100, windowMs: 60_000 }

/** The most new subjects of a key in 24 hours of which the organization's admins are notified. */
export const newSubjectNoticesMax = 10

/** How long a subject is known after its last exchange, in days. Then it counts as new again. */
export const subjectsKeptDays = 90

/** The tolerance of the times of an identity token, in seconds. */
export const identityTokenToleranceSeconds = 60

/** The longest time between `iat` and `exp` of an identity token, in seconds. */
export const identityTokenLifetimeSecondsMax = 86_400

/** How long the documents of an issuer are cached, in ms. */
export const issuerCacheMs = 600_000

/** How long a failed read of an issuer is cached, in ms. */
export const issuerFailureCacheMs = 5_000

/** The minimum time between two reads of an issuer because of unknown key ids, in ms. */
export const issuerReadAgainMs = 30_000

/** The time within which both documents of an issuer must be read, in ms. */
export const issuerReadTimeoutMs = 5_000

/** Maximum size of a document of an issuer, in bytes. */
export const issuerDocumentBytesMax = 65_536
