/** Maximum length of the name of an organization, an account or a user, in characters. */
export const directoryNameLengthMax = 200

/** Maximum length of the edition of an organization, in characters. */
export const editionLengthMax = 64

/** Maximum accounts that are assigned to a user. */
export const userAccountsMax = 10_000
