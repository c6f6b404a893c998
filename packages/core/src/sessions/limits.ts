/** Minimum length of a new password, in characters. */
export const passwordLengthMin = 12

/** Maximum length of a password, in characters. */
export const passwordLengthMax = 256

/** Maximum length of an email address, in characters. */
export const emailLengthMax = 254

/** Maximum length of an authenticator or recovery code as typed, in characters. */
export const oneTimeCodeLengthMax = 32

/** How much of a user agent is stored, in characters. */
export const userAgentLengthMax = 256
