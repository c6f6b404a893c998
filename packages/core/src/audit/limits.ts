/** Maximum length of an action by which the audit log is filtered, in characters. */
export const auditActionLengthMax = 100
