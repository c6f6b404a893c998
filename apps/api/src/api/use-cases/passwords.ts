import { currentTime } from '@hosting/core/clock'
import { conflict, validationFailed } from '@hosting/core/problems'
import { deviceCookie, passwordLengthMin, sessionCookie } from '@hosting/core/sessions'
import type { Client } from '@hosting/postgres/database'
import {
  findSignInById,
  hasPassword,
  replacePasswordHash,
  revokeSessionsOf,
  setPassword,
  type SignInRecord,
} from '@hosting/postgres/sessions'
import type { SessionCaller } from '../access/caller.ts'
import { HttpResponse } from '../response.ts'
import { isHttps } from '../access/session.ts'
import type { Needs } from '../services.ts'
import { type Change, type RequestContext, recordSecurityChange } from './audit.ts'
import {
  normalPassword,
  withPasswordHasher,
  type PasswordHasher,
} from '../passwords/password-hash.ts'
import { renewSession } from './session-secret.ts'
import { readFileSync } from 'node:fs'

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

const common: ReadonlySet<string> = new Set(
  readFileSync(new URL('../../../assets/common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')),
)

/** Digits and signs that people use instead of letters. */
const letters: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** Sequences on the keyboard or in the alphabet, in both directions. */
const runs = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
].flatMap((run) => [run, run.split('').toReversed().join('')])

/** Longer passwords may be a repeated short text. */
const repeatedMax = 64

/**
 * Whether a password is easy to guess: a common password, also with surrounding digits or punctuation or with
 * digits instead of letters; a repeated short text; a keyboard sequence; or the person's email address.
 */
export function isCommonPassword(password: string, email: string | null): boolean {
  const text = password.normalize('NFKC').toLowerCase().trim()
  return (
    isWord(text) ||
    isRepeated(text) ||
    runs.some((run) => run.includes(text)) ||
    (email !== null && isAddress(text, email.toLowerCase()))
  )
}

function isWord(text: string): boolean {
  const inner = text.replace(/^[^a-z]+|[^a-z]+$/g, '')
  const plain = text.replace(/[013457@$!]/g, (sign) => letters[sign]!)
  const trimmed = text.replace(/^[\d\W_]*?(?=[a-z@$]|[013457](?=\D))|[\d\W_]+$/g, '')
  const decoded = trimmed.replace(/[013457@$!]/g, (sign) => letters[sign]!)
  return [text, inner, plain, decoded].some((form) => common.has(form))
}

const isRepeated = (text: string): boolean =>
  text.length <= repeatedMax && /^(.{1,4}?)\1+.{0,3}$/su.test(text)

/** Whether the text is the address or its local part, ignoring punctuation and trailing digits. */
function isAddress(text: string, email: string): boolean {
  const [local = ''] = email.split('@')
  const bare = (given: string): string => given.replace(/[^\p{L}\p{N}]/gu, '')
  return bare(text) === bare(email) || bare(text).replace(/\d+$/, '') === bare(local)
}

/** What is known of a person whose password is verified. */
type Person = Pick<SignInRecord, 'user' | 'passwordHash' | 'isActive'>

/**
 * Verifies the password of a person. An outdated hash of the right password is replaced. Of several requests that do
 * so at the same time one does, and the others verify the password against the new hash.
 *
 * @param person - `undefined`: nobody. That takes as long.
 * @returns the hash that is stored now; `undefined` if the password is wrong.
 */
export async function verifyPassword(
  { database: { prisma } }: Needs<'database'>,
  hasher: PasswordHasher,
  { person, password }: { person: Person | undefined; password: string },
): Promise<string | undefined> {
  const match = await hasher.check(person?.passwordHash, password)
  if (!person?.passwordHash || match === 'wrong') return undefined
  const { user, passwordHash, isActive } = person
  if (match === 'current' || !isActive) return passwordHash
  const renewed = await hasher.hash(password)
  if (await replacePasswordHash(prisma, user.id, { from: passwordHash, to: renewed }))
    return renewed
  const stored = (await findSignInById(prisma, user.id))?.passwordHash
  return stored && (await hasher.check(stored, password)) !== 'wrong' ? stored : undefined
}
