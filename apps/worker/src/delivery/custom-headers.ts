import { type SecretsStore } from '@hosting/core/secrets-store'
import { customHeadersContext, type CustomHeaders } from '@hosting/core/webhooks'
import { type Database } from '@hosting/postgres/database'
import { findSealedHeaders } from '@hosting/postgres/webhooks'
import { createUnsealed } from './unsealed.ts'

/**
 * Creates a function that returns the custom headers of endpoints by the ids that claims read. A change of
 * an endpoint's headers creates a new id, so it takes effect for the next attempt.
 *
 * @returns a function that returns the headers, or `undefined` if they were replaced since the claim.
 * @throws SecretDoesNotOpen, or the error of PostgreSQL if it is unavailable.
 */
export const createCustomHeaders = (
  database: Database,
  secrets: SecretsStore,
): ((headersId: string) => Promise<CustomHeaders | undefined>) =>
  createUnsealed(
    secrets,
    {
      read: (ids) => findSealedHeaders(database, ids),
      contextOf: customHeadersContext,
      toValue: (plaintext) => JSON.parse(plaintext) as CustomHeaders,
    },
    // Up to 10 KiB each.
    { keptMax: 1_000 },
  )
