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

/** Maximum length of an endpoint's URL, in characters. */
export const webhookUrlLengthMax = 2_048

/** Maximum length of an endpoint's description, in characters. */
export const webhookDescriptionLengthMax = 200

/** Maximum attempts per second that an endpoint may be limited to. */
export const endpointRateLimitMax = 1_000

/** Maximum hours for which an endpoint may fail before it is disabled. */
export const disableAfterHoursMax = 720

/** How long attempts, and completed events and deliveries, are kept, in days. */
export const recordsKeptDays = 30

/** How far the timestamp of a signature may differ from the receiver's clock, in seconds. */
export const signatureToleranceSeconds = 300

/** Maximum custom headers per endpoint. */
export const customHeadersMax = 10

/** Maximum length of the name of a custom header, in characters. */
export const customHeaderNameLengthMax = 64

/** Maximum length of the value of a custom header, in characters. */
export const customHeaderValueLengthMax = 1_000
