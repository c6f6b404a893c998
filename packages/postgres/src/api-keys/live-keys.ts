/**
 * Whether a key is neither revoked nor expired. An organization has a limited number of such keys, and the index
 * `api_keys_live_idx` contains them without the others.
 *
 * @param key - the name of the row.
 */
export const isLive = (key: string): string =>
  `${key}.revoked_at IS NULL AND (${key}.expires_at IS NULL OR ${key}.expires_at > statement_timestamp())`
