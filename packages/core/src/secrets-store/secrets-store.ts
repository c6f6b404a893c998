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
   * @param context - names the record, for example `webhook-secret:<id>`. A sealed secret that is moved to
   *   another record cannot be decrypted there.
   */
  seal(plaintext: string, context: string): string
  /**
   * Decrypts with the key that the record names.
   *
   * @throws Error if the keyring lacks that key, or the record was changed or moved.
   */
  unseal(sealed: string, context: string): string
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Creates the secrets store of a keyring (docs/specification/operations.md#secrets-store). The first key encrypts,
 * all keys decrypt. A sealed record is `v1:<key id>:<base64url of nonce, ciphertext, tag>` (AES-256-GCM, NIST SP
 * 800-38D).
 *
 * @param keyring - at least one key.
 */
export function createSecretsStore(keyring: readonly KeyringKey[]): SecretsStore {
  const keys = new Map(keyring.map(({ id, key }) => [id, key]))
  const first = keyring[0]!
  return {
    seal(plaintext, context) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, first.key, nonce).setAAD(Buffer.from(context))
      const sealed = [nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return `v1:${first.id}:${Buffer.concat(sealed).toString('base64url')}`
    },
    unseal(sealed, context) {
      const [version, keyId, body, ...rest] = sealed.split(':')
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
