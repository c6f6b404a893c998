/** Repeated refusals of a key are counted for this long and then recorded as one (docs/specification/audit-log.md). */
export const refusalMinuteMs = 60_000

/** Maximum rows that the refusals of a key for one reason add to the audit log in that time. */
export const refusalRowsMax = 20

/** Maximum length of an action by which the audit log is filtered, in characters. */
export const auditActionLengthMax = 100
