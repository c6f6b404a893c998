/** Maximum length of the name of an organization, an account or a user, in characters. */
export const directoryNameLengthMax = 200

/** Maximum length of the edition of an organization, in characters. */
export const editionLengthMax = 64

/** Maximum accounts that are assigned to a user. */
export const userAccountsMax = 10_000

/** Maximum records of a page of the directory. */
export const directoryPageMax = 1_000

/** Maximum records of one batch of the directory. */
export const directoryBatchMax = 1_000

/** How long the daily counts of an organization's usage are kept, in days. */
export const usageKeptDays = 400

/** Maximum days of one reading of an organization's usage. */
export const usageDaysMax = 92

/** Days of a reading of an organization's usage that names no dates. */
export const usageDaysDefault = 30
