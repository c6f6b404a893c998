import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { type Transaction } from '@hosting/postgres/database'
import { writeSecurityNotice } from '@hosting/postgres/notices'
import {
  findSignInById,
  forgiveTry,
  holdActivePerson,
  usePasskey,
  type PasskeyRow,
  type SignInRecord,
} from '@hosting/postgres/sessions'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { HttpResponse } from '../response.ts'
import { inWork } from '../work.ts'
import type { Needs } from '../services.ts'
import { openSession, type SignInContext } from './open-session.ts'
import { verifyPasskey, type ShownPasskey } from './passkey-verification.ts'
import type { SessionResponse } from './session-secret.ts'
import { refuseSignIn } from './sign-in.ts'
import { addressChargeOf, chargeTry } from './count-try.ts'

/**
 * Signs a person in with a passkey. The authenticator has verified the person, so it counts as both factors. Tries are
 * counted by address only: nobody can guess a signature, and a count by account would let anyone delay the person.
 *
 * @throws Problem `invalid_credentials`, the same for an unknown passkey, an invalid response, a used challenge and a
 *   copied authenticator; `rate_limited`; `conflict` if the service has no relying party.
 */
export async function signInByPasskey(
  services: Needs<'config' | 'database' | 'log' | 'serverSecret' | 'serverSecrets'>,
  context: SignInContext,
  response: AuthenticationResponseJSON,
): Promise<SessionResponse> {
  const { database } = services
  const charge = addressChargeOf(context.ip)
  await chargeTry(database, [charge])
  const { passkey, use } = await verifyPasskey(services, response)
  const record = passkey && (await findSignInById(database.prisma, passkey.userId))
  const result =
    passkey && record?.isActive && use
      ? await open(services, context, { record, passkey, use })
      : undefined
  if (result instanceof HttpResponse) return result
  const isCopied = result === 'copied'
  throw await refuseSignIn(services, context, {
    record,
    names: [charge.name],
    details: { method: 'passkey', ...(isCopied && { cause: 'copied' }) },
    async note(tx) {
      if (isCopied) await notifyOfCopy(tx, passkey!, { ...context, sessionId: createUuidv7() })
    },
  })
}

/** A verified use of a person's passkey. */
interface PasskeyUse {
  readonly record: SignInRecord
  readonly passkey: PasskeyRow
  readonly use: NonNullable<ShownPasskey['use']>
}

function open(
  services: Needs<'config' | 'database' | 'log' | 'serverSecret' | 'serverSecrets'>,
  context: SignInContext,
  { record, passkey, use }: PasskeyUse,
): Promise<SessionResponse | 'copied' | undefined> {
  return inWork(services.database, services.log, async (work) => {
    if (!(await holdActivePerson(work.tx, record.user.id))) return undefined
    const result = await usePasskey(work.tx, passkey.id, use)
    if (result !== 'used') return result
    await forgiveTry(work.tx, [addressChargeOf(context.ip).name])
    return openSession(services, work, { context, record, proof: { method: 'passkey' } })
  })
}

/**
 * Notifies a person that a copy of their passkey was refused.
 *
 * @param request - `sessionId`: the session that was not confirmed, or a new id if none was opened.
 */
export const notifyOfCopy = (
  tx: Transaction,
  { userId, name }: PasskeyRow,
  { sessionId, userAgent, ip }: { sessionId: string; userAgent: string; ip: string },
): Promise<void> =>
  writeSecurityNotice(tx, {
    userId,
    change: 'passkey_copied',
    sessionId,
    userAgent,
    ip,
    now: currentTime(),
    by: null,
    facts: { passkey: name },
  })
