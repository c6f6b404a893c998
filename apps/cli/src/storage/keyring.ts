/** What is used of the system's keychain: the seam behind which `@napi-rs/keyring` stands. */
export interface Keyring {
  read(account: string): Promise<string | undefined>
  write(account: string, secret: string): Promise<void>
  remove(account: string): Promise<void>
}

/** Without spaces: gnome-keyring does not find what is stored under a name with one. */
const service = 'hctl'

/** A keychain that waits for somebody to unlock it shall not hold the command for ever. */
const timeoutMs = 60_000

/** The system's keychain. The package is optional: it rejects where it is not installed. */
export async function loadSystemKeyring(): Promise<Keyring> {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  // Else Linux falls back to the kernel's keyring, which forgets with the session.
  const options = { linux: { store: 'secret-service' } } as const
  const entryOf = (account: string) => new AsyncEntry(service, account, options)
  return {
    async read(account) {
      return (await inTime((signal) => entryOf(account).getPassword(signal))) ?? undefined
    },
    async write(account, secret) {
      await inTime((signal) => entryOf(account).setPassword(secret, signal))
    },
    async remove(account) {
      await inTime((signal) => entryOf(account).deletePassword(signal))
    },
  }
}

/** Gives up by itself too: the call under way cannot be aborted on every system. */
async function inTime<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs)
  return await Promise.race([
    call(signal),
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('it does not answer'))),
    ),
  ])
}
