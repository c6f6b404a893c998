import { validSecretsMax } from './limits.ts'

/** A secret as far as rotation cares: when it ends, `null` for the present one. */
export interface SecretEnd {
  readonly id: string
  readonly expiresAt: Date | null
}

/** What a rotation does with the secrets so far. */
export type Rotation =
  | { readonly refused: true }
  | {
      readonly refused: false
      /** Secrets that end at once. */
      readonly ended: readonly string[]
      /** The secret so far, and when it ends; none without a grace. */
      readonly retiring: { readonly id: string; readonly expiresAt: Date } | undefined
    }

/**
 * Decides a rotation, for keys and webhook secrets alike (docs/specification/api-keys.md#rotation): with a
 * grace the secret so far stays valid for it, and earlier ones keep their own end; without, all end at once.
 * More than ten valid secrets at a time are refused. Secrets whose end has passed are dropped.
 */
export function decideRotation(
  secrets: readonly SecretEnd[],
  { graceSeconds, now }: { graceSeconds: number; now: Date },
): Rotation {
  if (graceSeconds === 0) {
    return { refused: false, ended: secrets.map(({ id }) => id), retiring: undefined }
  }
  const valid = secrets.filter(({ expiresAt }) => !expiresAt || expiresAt > now)
  if (valid.length >= validSecretsMax) return { refused: true }
  const present = valid.find(({ expiresAt }) => !expiresAt)
  const expiresAt = new Date(now.getTime() + graceSeconds * 1_000)
  return {
    refused: false,
    ended: secrets.filter((secret) => !valid.includes(secret)).map(({ id }) => id),
    retiring: present && { id: present.id, expiresAt },
  }
}

/** When the last of the earlier secrets ends that are still valid; null if none is. */
export function lastGraceEnd(
  secrets: readonly Pick<SecretEnd, 'expiresAt'>[],
  now: Date,
): Date | null {
  const ends = secrets.flatMap(({ expiresAt }) => (expiresAt && expiresAt > now ? [expiresAt] : []))
  return ends.toSorted((a, b) => Number(b) - Number(a))[0] ?? null
}
