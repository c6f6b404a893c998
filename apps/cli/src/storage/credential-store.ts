/** Where a profile's token is kept. */
export interface CredentialStore {
  readonly kind: StorageKind
  /** For people: `the system keychain`. */
  readonly where: string
  read(profile: string): Promise<string | undefined>
  write(profile: string, token: string): Promise<void>
  /** Also where there is none. */
  remove(profile: string): Promise<void>
}

export type StorageKind = 'keychain' | 'file'
