import { isStillValid } from '../clock/index.ts'
import { validSecretsMax } from './limits.ts'

/** The fields of a secret that rotation reads. `expiresAt` is `null` for the current secret. */
export interface SecretEnd {
  readonly id: string
  readonly expiresAt: Date | null
}

/** What a rotation does with the existing secrets. */
export type Rotation =
  | { readonly refused: true }
  | {
      readonly refused: false
      /** The ids of the secrets to delete: expired, or ended by this rotation. */
      readonly removed: readonly string[]
      /** The current secret and when it ends; `undefined` without an overlap period. */
      readonly retiring: { readonly id: string; readonly expiresAt: Date } | undefined
    }

/**
 * Decides a rotation of a key or a signing secret (docs/specification/api-keys.md#rotation). With an overlap
 * period, the current secret stays valid for it, and earlier secrets keep their own end. Without one, all end
 * immediately. A rotation that would exceed {@link validSecretsMax} is refused. Expired secrets are removed.
 *
 * @param overlapSeconds - the overlap period; its default and maximum are in limits.ts.
 */
export function decideRotation(
  secrets: readonly SecretEnd[],
  { overlapSeconds, now }: { overlapSeconds: number; now: Date },
): Rotation {
  if (overlapSeconds === 0) {
    return { refused: false, removed: secrets.map(({ id }) => id), retiring: undefined }
  }
  const valid = secrets.filter(({ expiresAt }) => isStillValid(expiresAt, now))
  if (valid.length >= validSecretsMax) return { refused: true }
  const current = valid.find(({ expiresAt }) => !expiresAt)
  const expiresAt = new Date(now.getTime() + overlapSeconds * 1_000)
  return {
    refused: false,
    removed: secrets.filter((secret) => !valid.includes(secret)).map(({ id }) => id),
    retiring: current && { id: current.id, expiresAt },
  }
}

/** When the last overlap period ends; `null` if no earlier secret is still valid. */
export function lastOverlapEnd(
  secrets: readonly Pick<SecretEnd, 'expiresAt'>[],
  now: Date,
): Date | null {
  const ends = secrets.flatMap(({ expiresAt }) =>
    expiresAt && isStillValid(expiresAt, now) ? [expiresAt] : [],
  )
  return ends.toSorted((a, b) => Number(b) - Number(a))[0] ?? null
}
