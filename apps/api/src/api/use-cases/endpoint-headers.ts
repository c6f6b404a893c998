import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { conflict, Problem } from '@hosting/core/problems'
import {
  checkCustomHeaders,
  customHeaderNames,
  customHeadersContext,
  type CustomHeaders,
} from '@hosting/core/webhooks'
import { type Transaction } from '@hosting/postgres/database'
import { hasOlderSecret, type EncryptedHeaders } from '@hosting/postgres/webhooks'
import type { Needs } from '../services.ts'

/**
 * @param headers - names and values as they were given.
 * @throws Problem `validation_failed`, with an error for each header that is not allowed.
 */
export function requireAllowedHeaders(
  { config }: Needs<'config'>,
  headers: readonly (readonly [string, string])[],
): void {
  const errors = checkCustomHeaders(headers, config.webhookHeaderPrefix)
  if (errors.length > 0) throw new Problem('validation_failed', { errors })
}

/** Encrypts custom headers under a new id; `undefined` for none. */
export function encryptHeaders(
  { secrets }: Needs<'secrets'>,
  headers: CustomHeaders | null | undefined,
): EncryptedHeaders | undefined {
  if (!headers || Object.keys(headers).length === 0) return undefined
  const id = createUuidv7()
  const encrypted = secrets!.encrypt(JSON.stringify(headers), customHeadersContext(id))
  return { id, names: customHeaderNames(headers), encrypted }
}

/**
 * Requires that every valid secret of an endpoint, which the transaction has locked, can sign for Standard Webhooks.
 *
 * @throws Problem `conflict`
 */
export async function requireStandardSecrets(tx: Transaction, id: string): Promise<void> {
  if (!(await hasOlderSecret(tx, id, currentTime()))) return
  const reason =
    'a valid signing secret of the endpoint has the older form, which Standard Webhooks cannot use. Rotate the secret, and wait for the end of the overlap period.'
  throw conflict(reason)
}
