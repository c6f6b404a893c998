/** Where the seed of a person's authenticator stands, for the secrets store. */
export const totpContext = (userId: string): string => `totp-factor:${userId}`
