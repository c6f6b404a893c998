import { findSignInById, replacePasswordHash, type SignInRecord } from '@hosting/postgres/sessions'
import type { PasswordHasher } from '../passwords/password-hash.ts'
import type { Needs } from '../services.ts'

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
