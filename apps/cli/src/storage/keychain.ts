import type { CredentialStore } from './choose-store.ts'

/** The operations of the system keychain that `hctl` uses, so that tests can replace it. */
export interface Keyring {
  read(account: string): Promise<string | undefined>
  write(account: string, secret: string): Promise<void>
  remove(account: string): Promise<void>
}

/** Stores tokens in the system keychain. */
export const keychainStore = (loadKeyring: () => Promise<Keyring>): CredentialStore => ({
  kind: 'keychain',
  location: 'the system keychain',
  read: async (profile) => (await loadKeyring()).read(profile),
  write: async (profile, token) => (await loadKeyring()).write(profile, token),
  remove: async (profile) => (await loadKeyring()).remove(profile),
})

/** Contains no space: gnome-keyring does not find entries whose service name has one. */
const service = 'hctl'

/** A locked keychain waits for the user to unlock it; do not wait longer than this. */
const timeoutMs = 60_000

/** Loads the system keychain. The package is optional: rejects if it is not installed. */
export async function loadSystemKeyring(): Promise<Keyring> {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  // The default on Linux is the kernel's keyring, which is lost when the session ends.
  const options = { linux: { store: 'secret-service' } } as const
  const entryOf = (account: string) => new AsyncEntry(service, account, options)
  return {
    async read(account) {
      return (await withTimeout((signal) => entryOf(account).getPassword(signal))) ?? undefined
    },
    async write(account, secret) {
      await withTimeout((signal) => entryOf(account).setPassword(secret, signal))
    },
    async remove(account) {
      await withTimeout((signal) => entryOf(account).deletePassword(signal))
    },
  }
}

/** Rejects after the timeout even where the system cannot abort the call. */
async function withTimeout<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs)
  return await Promise.race([
    call(signal),
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('it does not respond'))),
    ),
  ])
}
