/** Breadcrumbs from the organization to its key policy. */
export const crumbs = [['Organization', '/organization']] as const

/** The list of keys that violate the key policy. */
export const violationsPath = '/organization/key-policy/violations'
