import type { SecretsStore } from '@hosting/core/secrets-store'
import {
  createSigningKey,
  customHeadersContext,
  signingSecretContext,
  type ClaimedAttempt,
  type CustomHeaders,
  type ReadyAttempt,
  type SigningKey,
} from '@hosting/core/webhooks'
import type { Database } from '@hosting/postgres/database'
import { findEncryptedSecrets } from '@hosting/postgres/deliveries'
import { findEncryptedHeaders } from '@hosting/postgres/webhooks'
import type { Services } from '../services.ts'
import { createDecrypted, UndecryptableSecret } from './decrypted.ts'

/** What the secrets store keeps for an attempt. */
type AttemptSecrets = Pick<ReadyAttempt, 'keys' | 'customHeaders'>

/** Secrets that cannot be decrypted are logged once each, up to this many. */
const loggedMax = 1_000

/**
 * Creates a function that returns what an attempt is signed with, and its custom headers. Both are cached by the ids
 * that the claim reads, so a change takes effect for the next attempt.
 *
 * @returns a function that returns `replaced` if a record was replaced since the claim, and `undecryptable` if no key of
 *   the keyring decrypts it. It throws the error of PostgreSQL if that is unavailable.
 */
export function createAttemptSecrets({ database, secrets, signing, log }: Services) {
  const keysOf = createSigningKeys(database, secrets!)
  const headersOf = createCustomHeaders(database, secrets!)
  const logged = new Set<string>()
  return async ({
    secretIds,
    headersId,
    endpointId,
  }: ClaimedAttempt): Promise<AttemptSecrets | 'replaced' | 'undecryptable'> => {
    try {
      const [keys, customHeaders] = await Promise.all([
        keysOf(secretIds),
        headersId === null ? undefined : headersOf(headersId),
      ])
      return keys && (customHeaders || headersId === null) ? { keys, customHeaders } : 'replaced'
    } catch (error) {
      if (!(error instanceof UndecryptableSecret)) throw error
      signing.noteUndecryptable()
      const { secretId } = error
      if (!logged.has(secretId) && logged.size < loggedMax) {
        logged.add(secretId)
        log.error({ err: error, endpointId }, 'deliveries wait: a secret cannot be decrypted')
      }
      return 'undecryptable'
    }
  }
}

/**
 * Creates a function that returns the keys of signing secrets by their ids, in the order of the ids, or `undefined` if
 * one was deleted.
 */
export function createSigningKeys(
  database: Database,
  secrets: SecretsStore,
  options: { keptMax?: number } = {},
): (ids: readonly string[]) => Promise<SigningKey[] | undefined> {
  const keyOf = createDecrypted(
    secrets,
    {
      read: (ids) => findEncryptedSecrets(database, ids),
      contextOf: signingSecretContext,
      toValue: createSigningKey,
    },
    options,
  )
  return async (ids) => {
    const keys = await Promise.all(ids.map(keyOf))
    return keys.every((key) => key !== undefined) ? keys : undefined
  }
}

const createCustomHeaders = (database: Database, secrets: SecretsStore) =>
  createDecrypted(
    secrets,
    {
      read: (ids) => findEncryptedHeaders(database, ids),
      contextOf: customHeadersContext,
      toValue: (plaintext) => JSON.parse(plaintext) as CustomHeaders,
    },
    // Up to 10 KiB each.
    { keptMax: 1_000 },
  )
