import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** A key of the keyring: 32 bytes for AES-256. */
export interface KeyringKey {
  readonly id: string
  readonly key: Buffer
}

/** Encrypts small secrets, so that the database stores none in plain text. */
export interface SecretsStore {
  /**
   * Encrypts with the first key of the keyring.
   *
   * @param context - names the record, for example `webhook-secret:<id>`. An encrypted secret that is moved to
   *   another record cannot be decrypted there.
   */
  encrypt(plaintext: string, context: string): string
  /**
   * Decrypts with the key that the record names.
   *
   * @throws Error if the keyring lacks that key, or the record was changed or moved.
   */
  decrypt(encrypted: string, context: string): string
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Creates the secrets store of a keyring (docs/specification/operations.md#secrets-store). The first key encrypts,
 * all keys decrypt. An encrypted record is `v1:<key id>:<base64url of nonce, ciphertext, tag>` (AES-256-GCM, NIST SP
 * 800-38D).
 *
 * @param keyring - at least one key.
 */
export function createSecretsStore(keyring: readonly KeyringKey[]): SecretsStore {
  const keys = new Map(keyring.map(({ id, key }) => [id, key]))
  const first = keyring[0]!
  return {
    encrypt(plaintext, context) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, first.key, nonce).setAAD(Buffer.from(context))
      const encrypted = [
        nonce,
        cipher.update(plaintext, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]
      return `v1:${first.id}:${Buffer.concat(encrypted).toString('base64url')}`
    },
    decrypt(encrypted, context) {
      const [version, keyId, body, ...rest] = encrypted.split(':')
      const key = keys.get(keyId ?? '')
      if (version !== 'v1' || !key || !body || rest.length > 0)
        throw new Error('No key of the keyring opens this secret.')
      const bytes = Buffer.from(body, 'base64url')
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-tagBytes))
      return (
        decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') +
        decipher.final('utf8')
      )
    },
  }
}
