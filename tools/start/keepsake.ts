import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { recall, remember } from '../local-stack/remembered.ts'

/** The state kept between runs, so that the data stays readable and the sign-in stays the same. */
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
  /** The endpoint's value when the secret was stored: if it differs, the secret was rotated. */
  readonly rotatedAt: string | null
}

/** The {@link Keepsake} with its file, which only its owner may read. */
export interface KeepsakeFile {
  readonly kept: Keepsake
  keep(change: Partial<Keepsake>): Promise<void>
}

/** Opens the file, or creates it with new secrets. */
export async function openKeepsake(path: string): Promise<KeepsakeFile> {
  const text = await recall(path)
  const file = {
    // A file of an earlier release may lack some.
    kept: { ...createState(), ...(text === undefined ? {} : (JSON.parse(text) as Keepsake)) },
    async keep(change: Partial<Keepsake>) {
      file.kept = { ...file.kept, ...change }
      // Atomic: with half of the file, nothing in the database could be decrypted.
      await remember(`${path}.new`, JSON.stringify(file.kept, null, 2))
      await rename(`${path}.new`, path)
    },
  }
  await file.keep({})
  return file
}

const createState = (): Keepsake => ({
  secretsKeyring: `local:${randomBytes(32).toString('base64')}`,
  serverSecret: randomBytes(32).toString('base64'),
  databasePassword: randomBytes(24).toString('base64url'),
  serviceToken: randomBytes(24).toString('base64url'),
  opsToken: randomBytes(24).toString('base64url'),
  password: randomBytes(12).toString('base64url'),
})
