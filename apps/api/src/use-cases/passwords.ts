import { currentTime, deviceCookie, sessionCookie, validationFailed } from '@hosting/core'
import { revokeSessionsOf, setPassword } from '@hosting/postgres'
import type { SessionCaller } from '../http/caller.ts'
import { HttpResponse } from '../http/route.ts'
import { isHttps } from '../http/session.ts'
import type { Services } from '../services.ts'
import type { RequestContext } from './audit.ts'
import { recordChange } from './audit.ts'
import { isCommonPassword } from './common-passwords.ts'
import { withPasswordHasher } from '../passwords/password-hash.ts'
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
  if (isCommonPassword(newPassword, user.email)) {
    const message = 'is too common or matches your email address. Choose another password.'
    throw validationFailed({ pointer: '/new_password', message })
  }
  return withPasswordHasher((hasher) => hasher.hash(newPassword))
}

/**
 * Changes the caller's password. Ends their other sessions, and device logins that are approved but not redeemed.
 * The session gets a new secret, and the browser a new device cookie, since the new password revokes the old one.
 *
 * @param passwordHash - see {@link prepareNewPassword}.
 */
export async function changePassword(
  services: Services,
  context: RequestContext<SessionCaller> & { readonly cookie: string | undefined },
  passwordHash: string,
): Promise<HttpResponse> {
  const { caller, work, cookie } = context
  const { id } = caller.user
  await setPassword(work.tx, id, passwordHash)
  await revokeSessionsOf(work.tx, id, { now: currentTime(), exceptId: caller.session.id })
  const token = await renewSession(services, context, {})
  await recordChange(context, { action: 'password.change', target: { type: 'user', id } })
  const browser = { isHttps: isHttps(services), header: cookie }
  return new HttpResponse(204, undefined, {
    'Set-Cookie': [
      sessionCookie(isHttps(services), token),
      deviceCookie(services.serverSecrets, { userId: id, passwordHash }, browser),
    ],
  })
}
