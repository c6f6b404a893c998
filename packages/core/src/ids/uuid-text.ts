/** The regular expression of a UUID as the service writes ids, in lower case and without groups. */
export const uuidSource = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
