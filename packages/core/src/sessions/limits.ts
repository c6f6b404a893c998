/** Minimum length of a new password, in characters. */
export const passwordLengthMin = 12

/** Maximum length of a password, in characters. */
export const passwordLengthMax = 256

/** Maximum length of an email address, in characters. */
export const emailLengthMax = 254

/** Maximum length of an authenticator or recovery code as typed, in characters. */
export const oneTimeCodeLengthMax = 32

/** Maximum size of a form of the panel, in bytes. */
export const formBytesMax = 16 * 2 ** 10

/** Maximum rejected or interrupted forms that are kept for a user. Each browser and page has one at a time. */
export const formDraftsMax = 10

/** How long a rejected or interrupted form is kept, in seconds. */
export const formDraftSeconds = 3_600

/** How much of a user agent is stored, in characters. */
export const userAgentLengthMax = 256
