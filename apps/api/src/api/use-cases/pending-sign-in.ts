import { createUuidv7 } from '@hosting/core/ids'
import { Problem } from '@hosting/core/problems'
import {
  createSessionSecret,
  formatSessionToken,
  hashPendingSignIn,
  parseSessionToken,
  pendingSignInMs,
} from '@hosting/core/sessions'
import {
  insertPendingSignIn,
  findPendingSignIn,
  takePendingSignIn,
  type SignInRecord,
} from '@hosting/postgres/sessions'
import type { Needs } from '../services.ts'
import type { SignInContext } from './open-session.ts'
import { signInVerified, chargesOf, type CodeRequired } from './sign-in.ts'
import { chargeTry } from './count-try.ts'
import type { SessionResponse } from './session-secret.ts'

/**
 * Remembers that a person has entered the right password, until they enter the code. The password itself is not kept.
 * Returns the token for the browser.
 */
export async function createPendingSignIn(
  { database, serverSecret }: Needs<'database' | 'serverSecret'>,
  { userId, passwordHash }: CodeRequired,
): Promise<string> {
  const token = createSessionSecret(createUuidv7())
  await insertPendingSignIn(database, {
    id: token.id,
    userId,
    tokenHash: hashPendingSignIn(serverSecret, token),
    passwordHash: passwordHash.reveal(),
    lifetimeMs: pendingSignInMs,
  })
  return formatSessionToken(token)
}

/** Whether the token is that of a pending sign-in. */
export const isPending = async (
  services: Needs<'database' | 'serverSecrets'>,
  token: string,
): Promise<boolean> => (await findPending(services, token)) !== undefined

/**
 * The second step of a sign-in: opens the session if the code is right. A pending sign-in opens one session. Wrong
 * codes do not end it, but count like wrong passwords.
 *
 * @throws Problem `invalid_credentials`, also if the sign-in is no longer pending; `rate_limited`.
 */
export async function completeSignIn(
  services: Needs<'config' | 'database' | 'log' | 'secrets' | 'serverSecret' | 'serverSecrets'>,
  context: SignInContext,
  { token, code }: { token: string; code: string },
): Promise<SessionResponse> {
  const pending = await findPending(services, token)
  if (!pending?.record.isActive) throw new Problem('invalid_credentials')
  const { id, record } = pending
  const charges = chargesOf(services, context, { record })
  await chargeTry(services.database, Object.values(charges))
  return signInVerified(services, context, { record, charges, code }, async (tx) => {
    if (!(await takePendingSignIn(tx, id))) throw new Problem('invalid_credentials')
  })
}

async function findPending(
  { database, serverSecrets }: Needs<'database' | 'serverSecrets'>,
  text: string,
): Promise<{ id: string; record: SignInRecord } | undefined> {
  const token = parseSessionToken(text)
  if (!token) return undefined
  const hashes = serverSecrets.map((serverSecret) => hashPendingSignIn(serverSecret, token))
  const record = await findPendingSignIn(database.prisma, token.id, hashes)
  return record && { id: token.id, record }
}
