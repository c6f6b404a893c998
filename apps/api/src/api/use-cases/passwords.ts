import { currentTime } from '@hosting/core/clock'
import { conflict, validationFailed } from '@hosting/core/problems'
import { deviceCookie, passwordLengthMin, sessionCookie } from '@hosting/core/sessions'
import { type Client } from '@hosting/postgres/database'
import { hasPassword, revokeSessionsOf, setPassword } from '@hosting/postgres/sessions'
import type { SessionCaller } from '../access/caller.ts'
import { HttpResponse } from '../response.ts'
import { isHttps } from '../access/session.ts'
import type { Needs } from '../services.ts'
import { type Change, type RequestContext, recordSecurityChange } from './audit.ts'
import { isCommonPassword } from './common-passwords.ts'
import { normalPassword, withPasswordHasher } from '../passwords/password-hash.ts'
import { renewSession } from './session-secret.ts'

/**
 * Checks and hashes a new password, before its transaction opens.
 *
 * @throws Problem `validation_failed` for a common password, or `service_unavailable` if too many password
 *   checks wait.
 */
export async function prepareNewPassword(
  { user }: SessionCaller,
  newPassword: string,
): Promise<string> {
  if (Array.from(normalPassword(newPassword)).length < passwordLengthMin) {
    const message = `must have at least ${passwordLengthMin} characters, counted in the Unicode form NFKC`
    throw validationFailed({ pointer: '/new_password', message })
  }
  if (isCommonPassword(newPassword, user.email)) {
    const message = 'is too common or matches your email address. Choose another password.'
    throw validationFailed({ pointer: '/new_password', message })
  }
  return withPasswordHasher((hasher) => hasher.hash(newPassword))
}

/**
 * Whether a person can change their password: only whoever has one. Others sign in with a link or an identity
 * provider, which a password would bypass.
 */
export const mayChangePassword = (client: Client, userId: string): Promise<boolean> =>
  hasPassword(client, userId)

/**
 * Changes the caller's password. Ends their other sessions, and device logins that are approved but not redeemed.
 * The session gets a new secret, and the browser a new device cookie, since the new password revokes the old one.
 *
 * @param passwordHash - see {@link prepareNewPassword}.
 * @throws Problem `conflict` if the caller has no password.
 */
export async function changePassword(
  services: Needs<'config' | 'serverSecret' | 'serverSecrets'>,
  context: RequestContext<SessionCaller> & { readonly cookie: string | undefined },
  passwordHash: string,
): Promise<HttpResponse<undefined>> {
  const { caller, work, cookie } = context
  const { id } = caller.user
  if (!(await mayChangePassword(work.tx, id))) {
    const reason = 'you have no password. You sign in with a link or an identity provider.'
    throw conflict(reason)
  }
  await setPassword(work.tx, id, passwordHash)
  await revokeSessionsOf(work.tx, id, { now: currentTime(), exceptId: caller.session.id })
  const token = await renewSession(services, context, {})
  const change = { action: 'password.change', target: { type: 'user', id } } satisfies Change
  await recordSecurityChange(context, change, 'password_changed')
  const browser = { isHttps: isHttps(services), header: cookie }
  return new HttpResponse(204, undefined, {
    'Set-Cookie': [
      sessionCookie(isHttps(services), token),
      deviceCookie(services.serverSecrets, { userId: id, passwordHash }, browser),
    ],
  })
}
