import { hash, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { randomText } from '../ids/random-text.ts'

/** The default prefix of keys (docs/specification/api-keys.md#token). */
export const keyPrefix = 'hctl'

/** Minimum and maximum length of a prefix, in letters. */
export const keyPrefixLengthMin = 2
export const keyPrefixLengthMax = 12

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 12
const randomLength = 32
const checksumLength = 6
const prefixForm = `[a-z]{${keyPrefixLengthMin},${keyPrefixLengthMax}}`
const idForm = `[a-z2-7]{${idLength}}`

/** The pattern of a prefix. */
export const keyPrefixPattern = `^${prefixForm}$`

/** The pattern of a key id. */
export const keyIdPattern = `^${idForm}$`

/**
 * The form of a token: prefix, id and secret. Its checksum is not part of it, see {@link parseKeyToken}.
 *
 * NEVER CHANGE IT: keys that exist must stay valid, and secret scanners know it. Files that cannot import it have copies,
 * which test/structure/token-forms.test.ts and test/structure/secret-scanning.test.ts compare.
 */
export const keyTokenPattern = new RegExp(
  `^(${prefixForm})_(${idForm})_([0-9A-Za-z]{${randomLength + checksumLength}})$`,
)

/** The tokens in a text, with what stands before the secret in a group. Whatever begins like a token counts as one. */
export const keyTokensInText = new RegExp(`\\b(${prefixForm}_${idForm}_)\\w+`, 'g')

const tokenStart = new RegExp(`^${prefixForm}_(${idForm})_`)

/** The key id in a text that begins like a token, whatever its secret is; `undefined` in others. */
export const findKeyId = (text: string): string | undefined => tokenStart.exec(text)?.[1]

/**
 * The parts of a key's token: `id` is public; `secret` (38 characters) is shown once and never stored. The checksum in
 * the secret covers the prefix, so a token is valid only with the prefix that it was created with.
 */
export interface KeyToken {
  readonly prefix: string
  readonly id: string
  readonly secret: string
}

/** Creates a key id and its secret. */
export const createKeyToken = (prefix: string = keyPrefix): KeyToken =>
  createKeySecret(randomText(base32, idLength), prefix)

/**
 * Creates a secret for a key: 32 random base62 characters and the checksum of everything before it.
 *
 * @param id - the 12-character key id.
 */
export function createKeySecret(id: string, prefix: string = keyPrefix): KeyToken {
  const random = randomText(base62, randomLength)
  return { prefix, id, secret: random + checksum(`${prefix}_${id}_${random}`) }
}

/** The full token that the client sends: `<prefix>_<id>_<secret>`. */
export const formatKeyToken = ({ prefix, id, secret }: KeyToken): string =>
  `${prefix}_${id}_${secret}`

/**
 * Parses a token. Returns `undefined` if the form or the checksum is wrong, so that typos and fakes are
 * refused without a database query.
 */
export function parseKeyToken(text: string): KeyToken | undefined {
  const match = keyTokenPattern.exec(text)
  if (!match) return undefined
  const covered = text.slice(0, -checksumLength)
  if (checksum(covered) !== text.slice(-checksumLength)) return undefined
  return { prefix: match[1]!, id: match[2]!, secret: match[3]! }
}

/**
 * The hash under which a secret is stored: SHA-256 of the server secret, the key id and the secret, 32 bytes.
 * A stored hash cannot be tested without the server secret, nor be used in another row. The secret has 190
 * random bits and a fixed form, so a slow hash is not needed. This runs on every request.
 */
export const hashKeySecret = (
  serverSecret: Buffer,
  { id, secret }: Pick<KeyToken, 'id' | 'secret'>,
): Buffer => hash('sha256', `${serverSecret.toString('hex')}:api-key:v1:${id}:${secret}`, 'buffer')

/** The hashes under which a secret may be stored: one for each version of the server secret. */
export const hashesOfKeySecret = (
  serverSecrets: readonly Buffer[],
  token: KeyToken,
): readonly Buffer[] => serverSecrets.map((serverSecret) => hashKeySecret(serverSecret, token))

/** Compares two hashes of 32 bytes in constant time. */
export const isSameHash = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b)

/**
 * CRC-32 of the ASCII text as 6 base62 digits, left-padded with `0` (docs/specification/api-keys.md#token). README.md and
 * github-adapter.ts of deploy/secret-scanning repeat it (see {@link keyTokenPattern}). A change of this or of the form makes
 * every token that was issued invalid: {@link parseKeyToken} must then accept both.
 */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let count = 0; count < checksumLength; count++) {
    digits = base62[rest % 62]! + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
