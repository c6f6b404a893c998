import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { recall, remember } from '../local-stack/remembered.ts'

/** The state kept between runs, so that the data stays readable and the sign-in stays the same. */
export interface StartState {
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

/** The {@link StartState} with its file, which only its owner may read. */
export interface StartStateFile {
  readonly kept: StartState
  keep(change: Partial<StartState>): Promise<void>
}

/** Opens the file, or creates it with new secrets. */
export async function openStartState(path: string): Promise<StartStateFile> {
  const text = await recall(path)
  const file = {
    // A file of an earlier release may lack some.
    kept: { ...createState(), ...(text === undefined ? {} : (JSON.parse(text) as StartState)) },
    async keep(change: Partial<StartState>) {
      file.kept = { ...file.kept, ...change }
      // Atomic: with half of the file, nothing in the database could be decrypted.
      await remember(`${path}.new`, JSON.stringify(file.kept, null, 2))
      await rename(`${path}.new`, path)
    },
  }
  await file.keep({})
  return file
}

const createState = (): StartState => ({
  secretsKeyring: `local:${randomBytes(32).toString('base64')}`,
  serverSecret: randomBytes(32).toString('base64'),
  databasePassword: randomBytes(24).toString('base64url'),
  serviceToken: randomBytes(24).toString('base64url'),
  opsToken: randomBytes(24).toString('base64url'),
  password: randomBytes(12).toString('base64url'),
})
