import { type SecretsStore } from '@hosting/core/secrets-store'
import { signingSecretContext } from '@hosting/core/webhooks'
import { type Database } from '@hosting/postgres/database'
import { sampleSigningSecrets, type EncryptedSigningSecret } from '@hosting/postgres/secrets-store'

/** Whether this worker can sign: it has a keyring, and the keyring decrypts signing secrets. */
export interface SigningAbility {
  canSign(): boolean
  /** Notes that a secret could not be decrypted. The next {@link SigningAbility.check} then checks again. */
  noteUndecryptable(): void
  /** Checks again if there is a reason to. Without a keyring there is none. */
  check(): Promise<void>
  /** Sets the function that is called on every change. */
  onChange(run: () => void): void
}

/**
 * Determines whether this worker can sign. It can if there are no secrets yet, or if the keyring
 * decrypts any of the newest secrets. In that case only the deliveries whose own secret cannot be decrypted
 * wait.
 *
 * @param secrets - `undefined`: no keyring is configured.
 */
export async function openSigningAbility(
  database: Database,
  secrets: SecretsStore | undefined,
): Promise<SigningAbility> {
  let [canSign, isDoubtful] = [false, true]
  let changed = (): void => undefined
  async function check(): Promise<void> {
    if (!secrets || (canSign && !isDoubtful)) return
    isDoubtful = false
    const sample = await sampleSigningSecrets(database)
    const could = canSign
    canSign = sample.length === 0 || sample.some((secret) => decrypts(secrets, secret))
    if (could !== canSign) changed()
  }
  await check()
  return {
    canSign: () => canSign,
    noteUndecryptable: () => void (isDoubtful = true),
    check,
    onChange: (run) => void (changed = run),
  }
}

function decrypts(secrets: SecretsStore, { id, encrypted }: EncryptedSigningSecret): boolean {
  try {
    secrets.decrypt(encrypted, signingSecretContext(id))
    return true
  } catch {
    return false
  }
}
