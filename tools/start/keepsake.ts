import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { recall, remember } from '../local-stack/remembered.ts'

/** What one run hands to the next, so that its data can be read and its sign-in stays the same. */
export interface Keepsake {
  readonly secretsKeyring: string
  readonly serverSecret: string
  /** Of the database role of the API and the worker. */
  readonly databasePassword: string
  readonly serviceToken: string
  readonly opsToken: string
  /** Of the demo's administrator. */
  readonly password: string
  /** The token of the demo's API key. */
  readonly apiKey?: string
  /** The endpoint of the receiver. */
  readonly webhook?: KeptWebhook
}

export interface KeptWebhook {
  readonly id: string
  readonly secret: string
  /** As the endpoint said when the secret was kept: once it says otherwise, there is another secret. */
  readonly rotatedAt: string | null
}

/** The {@link Keepsake} with the file that holds it, which only its owner may read. */
export interface KeepsakeFile {
  readonly kept: Keepsake
  keep(change: Partial<Keepsake>): Promise<void>
}

/** Opens the file, with new secrets if there is none. */
export async function openKeepsake(path: string): Promise<KeepsakeFile> {
  const text = await recall(path)
  const file = {
    // A file of an earlier release lacks some.
    kept: { ...mintKeepsake(), ...(text === undefined ? {} : (JSON.parse(text) as Keepsake)) },
    async keep(change: Partial<Keepsake>) {
      file.kept = { ...file.kept, ...change }
      // Whole or not at all: with half of it, nothing in the database could be decrypted any more.
      await remember(`${path}.new`, JSON.stringify(file.kept, null, 2))
      await rename(`${path}.new`, path)
    },
  }
  await file.keep({})
  return file
}

const mintKeepsake = (): Keepsake => ({
  secretsKeyring: `local:${randomBytes(32).toString('base64')}`,
  serverSecret: randomBytes(32).toString('base64'),
  databasePassword: randomBytes(24).toString('base64url'),
  serviceToken: randomBytes(24).toString('base64url'),
  opsToken: randomBytes(24).toString('base64url'),
  password: randomBytes(12).toString('base64url'),
})
