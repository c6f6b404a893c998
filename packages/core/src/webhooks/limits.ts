/** Maximum endpoints per organization. */
export const endpointsMax = 20

/** Maximum events of one publication. */
export const eventsPerPublicationMax = 1_000

/** Maximum concurrent event streams per organization, over all processes. */
export const eventStreamsMax = 5

/** Maximum concurrent event streams per key or person. */
export const eventStreamsPerCallerMax = 2

/** Maximum event patterns per endpoint. */
export const patternsMax = 100

/** Maximum accounts that an endpoint may be limited to. */
export const endpointAccountsMax = 100

/** Maximum length of an endpoint's URL, in characters. */
export const endpointUrlLengthMax = 2_048

/** Maximum length of an endpoint's description, in characters. */
export const endpointDescriptionLengthMax = 200

/** Maximum attempts per second that an endpoint may be limited to. */
export const endpointRateLimitMax = 1_000

/** Failures in a row that open an incident (docs/specification/webhooks.md#health). */
export const failuresToOpen = 5

/** The span of a row of attempt statistics, in minutes. Rows of old spans are merged into hours. */
export const attemptStatsMinutes = 1

/**
 * Unfinished deliveries of an object or an account are found by its events if these are at most so many since the oldest that
 * is in the queue, and no more than the deliveries that a page examines.
 */
export const subjectEventsMax = 2_000

/** Maximum hours for which an endpoint may fail before it is disabled. */
export const disableAfterHoursMax = 720

/** How long attempts, and completed events and deliveries, are kept, in days. */
export const recordsKeptDays = 30

/**
 * How far the timestamp of a signature may differ from the receiver's clock, in seconds
 * (docs/specification/webhooks.md#signature). Receivers check it: the SDKs and the files in docs/webhooks have a copy.
 * The vectors of tools/generate/webhook-vectors.ts, at the limit and a second beyond it, are derived from it, and
 * `npm run test:docs` applies them to each copy.
 */
export const signatureToleranceSeconds = 300

/** Maximum custom headers per endpoint. */
export const customHeadersMax = 10

/** Maximum length of the name of a custom header, in characters. */
export const customHeaderNameLengthMax = 64

/** Maximum length of the value of a custom header, in characters. */
export const customHeaderValueLengthMax = 1_000

/** Maximum items of a page of the event log. */
export const eventLogPageMax = 1_000

/** Items of a page of the event log if the request names no limit. */
export const eventLogPageDefault = 100

/** Maximum patterns of a filter of events. */
export const filterPatternsMax = 20

/** Maximum length of a filter of events by patterns, in characters. */
export const filterPatternsLengthMax = 2_000

/** Maximum length of a filter by an object or an account, the same as for these ids in the data of events. */
export const filterTextLengthMax = 255

/** The statuses of HTTP (RFC 9110, section 15). A response with another one is not valid, and its status is not stored. */
export const statusCodeMin = 100
export const statusCodeMax = 599

/** Maximum buckets of a histogram. */
export const histogramBucketsMax = 120

/** Buckets of a histogram if the request names no number. */
export const histogramBucketsDefault = 60

/** Maximum failed attempts of an incident that are read for its timeline and its events: the first ones. */
export const incidentAttemptsMax = 20_000
