import { signingSecretContext, type SecretsStore } from '@hosting/core'
import { sampleSigningSecrets, type Database, type SealedSigningSecret } from '@hosting/postgres'

/** Whether this worker can sign: it has a keyring, and signing secrets open with it. */
export interface SigningAbility {
  canSign(): boolean
  /** Hears of a signing secret that did not open. The next {@link SigningAbility.check} then looks again. */
  noteUnopened(): void
  /** Looks again if there is a reason to. Without a keyring there is never one. */
  check(): Promise<void>
  /** Sets what is told whenever it changes. */
  onChange(listener: () => void): void
}

/**
 * Finds out whether this worker can sign. It can while there are no secrets yet, and while any of the newest secrets
 * under any key of the keyring opens: then the others wait for themselves.
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
    canSign = sample.length === 0 || sample.some((secret) => opens(secrets, secret))
    if (could !== canSign) changed()
  }
  await check()
  return {
    canSign: () => canSign,
    noteUnopened: () => void (isDoubtful = true),
    check,
    onChange: (listener) => void (changed = listener),
  }
}

function opens(secrets: SecretsStore, { id, sealed }: SealedSigningSecret): boolean {
  try {
    secrets.unseal(sealed, signingSecretContext(id))
    return true
  } catch {
    return false
  }
}
