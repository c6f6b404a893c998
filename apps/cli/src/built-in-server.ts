/** Filled in by the service that `hctl` is downloaded from; see apps/api/src/docs/downloads. Empty in the sources. */
const slot: string = ''

/** The URL of the service from which this `hctl` was downloaded. */
export const builtInServer: string | undefined = slot.startsWith('http') ? slot : undefined
