import type { Client, Transaction } from '../database/database.ts'
import type { Prisma } from '../generated/client.ts'
import { markFactorChange } from './totp-factors.ts'

/** A passkey of a person. */
export type PasskeyRow = Prisma.PasskeyGetPayload<object>

/** The fields of a new passkey. */
export interface NewPasskey {
  /** A UUIDv7. */
  readonly id: string
  readonly userId: string
  readonly credentialId: Uint8Array
  /** COSE_Key (RFC 9052, section 7). */
  readonly publicKey: Uint8Array
  readonly signCount: number
  readonly transports: readonly string[]
  readonly name: string
  readonly isBackedUp: boolean
}

/** Returns a page of the passkeys of a person, newest first; without a page, all of them. */
export const listPasskeys = (
  client: Client,
  userId: string,
  page?: { readonly after: string | undefined; readonly take: number },
): Promise<PasskeyRow[]> =>
  client.passkey.findMany({
    where: { userId, ...(page?.after !== undefined && { id: { lt: page.after } }) },
    orderBy: { id: 'desc' },
    ...(page && { take: page.take }),
  })

/**
 * Stores a passkey. The transaction must hold the person's row, so that the number of passkeys is exact.
 *
 * @returns the passkey, or why it is not stored: the person has `max` already, or the credential is registered.
 */
export async function createPasskey(
  tx: Transaction,
  { credentialId, publicKey, transports, ...fields }: NewPasskey,
  max: number,
): Promise<PasskeyRow | 'too_many' | 'registered'> {
  if ((await tx.passkey.count({ where: { userId: fields.userId } })) >= max) return 'too_many'
  const data = {
    ...fields,
    credentialId: Uint8Array.from(credentialId),
    publicKey: Uint8Array.from(publicKey),
    transports: [...transports],
  }
  const { count } = await tx.passkey.createMany({ data: [data], skipDuplicates: true })
  if (count === 0) return 'registered'
  await markFactorChange(tx, fields.userId)
  return tx.passkey.findUniqueOrThrow({ where: { id: data.id } })
}

/** Finds a passkey by the id of its credential. */
export const findPasskey = (client: Client, credentialId: Uint8Array): Promise<PasskeyRow | null> =>
  client.passkey.findUnique({ where: { credentialId: Uint8Array.from(credentialId) } })

/**
 * Records a use of a passkey if its signature counter is valid. Of several concurrent uses with one counter, only one
 * is recorded, unless the authenticator does not count.
 *
 * @returns `copied` if the counter is not above the stored one; `undefined` if the passkey no longer exists.
 */
export async function usePasskey(
  tx: Transaction,
  id: string,
  { signCount, isBackedUp }: { signCount: number; isBackedUp: boolean },
): Promise<'used' | 'copied' | undefined> {
  const count = await tx.$executeRaw`
    UPDATE passkeys SET sign_count = ${signCount}, backed_up = ${isBackedUp}, last_used_at = clock_timestamp()
    WHERE id = ${id}::uuid AND (sign_count < ${signCount} OR (sign_count = 0 AND ${signCount} = 0))`
  if (count === 1) return 'used'
  return (await tx.passkey.count({ where: { id } })) === 1 ? 'copied' : undefined
}

/** Deletes a passkey of a person. Returns it; `null` if the person has none with this id. */
export async function deletePasskey(
  tx: Transaction,
  userId: string,
  id: string,
): Promise<PasskeyRow | null> {
  const row = await tx.passkey.findFirst({ where: { id, userId } })
  if (!row) return null
  await tx.passkey.delete({ where: { id } })
  await markFactorChange(tx, userId)
  return row
}
