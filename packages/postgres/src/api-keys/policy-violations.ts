import { wideAllowlistPrefixes } from '@hosting/core/api-keys'

/**
 * Whether the number of IPv4 or of IPv6 addresses that the list admits meets the condition on `admitted` and `bits`.
 * Networks are either nested or disjoint, so the sizes of those that no other one contains add up to it. IPv4-mapped
 * networks count as IPv4.
 */
const admits = (key: string, condition: string): string => `EXISTS (
  WITH networks AS (
    SELECT DISTINCT CASE WHEN entry::inet <<= '::ffff:0:0/96'
      THEN set_masklen('0.0.0.0'::inet + (host(entry::inet)::inet - '::ffff:0:0'), masklen(entry::inet) - 96)
      ELSE entry::inet END AS network
    FROM unnest(${key}.ip_allowlist) entry
  ), outermost AS (
    SELECT network, CASE family(network) WHEN 4 THEN 32 ELSE 128 END AS bits FROM networks n
    WHERE NOT EXISTS (SELECT 1 FROM networks wider WHERE n.network << wider.network)
  )
  SELECT 1 FROM (
    SELECT bits, sum(2::numeric ^ (bits - masklen(network))) AS admitted FROM outermost GROUP BY bits
  ) families WHERE ${condition})`

/**
 * Whether the IP allowlist of a key is wide, as `isWideAllowlist` of @hosting/core decides.
 *
 * @param key - the name of the row.
 */
export const hasWideAllowlist = (key: string): string =>
  admits(
    key,
    `admitted > 2::numeric ^ CASE bits WHEN 32 THEN ${32 - wideAllowlistPrefixes.ipv4} ELSE ${128 - wideAllowlistPrefixes.ipv6} END`,
  )

/**
 * Whether a key violates the key policy of its organization, as `checkKeyPolicy` of @hosting/core decides. Revoked and
 * expired keys need no attention.
 *
 * @param key - the name of the row.
 */
export const violatesPolicy = (key: string): string => `EXISTS (
  SELECT 1 FROM key_policies p WHERE p.tenant_id = ${key}.tenant_id AND (
    (${key}.kind = 'personal' AND NOT p.personal_keys_allowed)
    OR (p.ip_allowlist_required AND (cardinality(${key}.ip_allowlist) = 0 OR ${admits(key, 'admitted = 2::numeric ^ bits')}))
    OR coalesce(${key}.expires_at, 'infinity')
      > ${key}.created_at + p.max_lifetime_days * interval '24 hours'))`
