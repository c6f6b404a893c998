import { type SecretsStore } from '@hosting/core/secrets-store'
import { signingSecretContext, standardWebhooksKey } from '@hosting/core/webhooks'
import { type Database } from '@hosting/postgres/database'
import { findSealedSecrets } from '@hosting/postgres/deliveries'
import { createSecretKey, type KeyObject } from 'node:crypto'
import { createUnsealed } from './unsealed.ts'

/** The keys of a signing secret. */
export interface SigningKey {
  /** The whole secret, for the service's own signature. */
  readonly whole: KeyObject
  /** The decoded secret, for Standard Webhooks. A secret of the older form has none. */
  readonly standard: KeyObject | undefined
}

/**
 * Creates a function that returns the keys of signing secrets by their ids. Keys are cached. Every claim
 * reads which ids are valid, so a rotation takes effect for the next attempt.
 *
 * @returns a function that returns the keys in the order of the ids, or `undefined` if one was
 *   deleted.
 * @throws SecretDoesNotOpen, or the error of PostgreSQL if it is unavailable.
 */
export function createSigningKeys(
  database: Database,
  secrets: SecretsStore,
  options: { keptMax?: number } = {},
): (ids: readonly string[]) => Promise<SigningKey[] | undefined> {
  const keyOf = createUnsealed(
    secrets,
    {
      read: (ids) => findSealedSecrets(database, ids),
      contextOf: signingSecretContext,
      toValue: toSigningKey,
    },
    options,
  )
  return async (ids) => {
    const keys = await Promise.all(ids.map(keyOf))
    return keys.every((key) => key !== undefined) ? keys : undefined
  }
}

function toSigningKey(secret: string): SigningKey {
  const standard = standardWebhooksKey(secret)
  return {
    whole: createSecretKey(secret, 'utf8'),
    standard: standard && createSecretKey(standard),
  }
}
