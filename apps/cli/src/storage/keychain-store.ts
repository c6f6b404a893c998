import type { Surroundings } from '../surroundings.ts'
import type { CredentialStore } from './credential-store.ts'

/** Keeps tokens in the system's keychain. */
export function keychainStore({ loadKeyring }: Surroundings): CredentialStore {
  return {
    kind: 'keychain',
    where: 'the system keychain',
    read: async (profile) => (await loadKeyring()).read(profile),
    write: async (profile, token) => (await loadKeyring()).write(profile, token),
    remove: async (profile) => (await loadKeyring()).remove(profile),
  }
}
