import { createSecretsStore } from '@hosting/core/secrets-store'

/** Has the key of the tests' configuration, so workers can decrypt what it encrypts. */
export const testStore = createSecretsStore([{ id: 'test', key: Buffer.alloc(32, 7) }])
