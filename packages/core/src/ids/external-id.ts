/** The pattern of an external id (docs/specification/external-ids.md). */
export const externalIdPattern = '^[A-Za-z0-9._:/-]{1,100}$'
