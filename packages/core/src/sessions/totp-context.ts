/** The secrets store's context for the seed of a person's authenticator. */
export const totpContext = (userId: string): string => `totp-factor:${userId}`
