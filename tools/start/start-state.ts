import { randomBytes } from 'node:crypto'
import { readFile, rename } from 'node:fs/promises'
import { orMissing } from '../local-stack/file-errors.ts'
import { remember } from '../local-stack/remembered.ts'
import { DataFailure } from './failure.ts'

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

/**
 * Opens the file, or creates it with new secrets.
 *
 * @throws DataFailure if the file is damaged.
 */
export async function openStartState(path: string): Promise<StartStateFile> {
  const file = {
    // The file may lack what a newer version stores.
    kept: { ...createState(), ...(await readStartState(path)) },
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

/**
 * Reads the file; undefined if it does not exist.
 *
 * @throws DataFailure if the file is damaged.
 */
export async function readStartState(path: string): Promise<Partial<StartState> | undefined> {
  const text = await orMissing(readFile(path, 'utf8'))
  if (text === undefined) return undefined
  const value = parseJson(text)
  if (isState(value)) return value
  const error = value === undefined ? 'it is not JSON' : 'it does not hold what npm start stores'
  throw new DataFailure(
    `${path} is damaged: ${error}.\n` +
      'It holds the secrets that the local data is encrypted with. Restore it from a backup, or start over.',
  )
}

/** The error of JSON.parse is dropped, because it quotes the text, which holds secrets. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isState(value: unknown): value is Partial<StartState> {
  if (!isRecord(value)) return false
  const { webhook, ...texts } = value
  const isKept = webhook === undefined || (isRecord(webhook) && isText(webhook['secret']))
  return isKept && Object.values(texts).every(isText)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const createState = (): StartState => ({
  secretsKeyring: `local:${randomBytes(32).toString('base64')}`,
  serverSecret: randomBytes(32).toString('base64'),
  databasePassword: randomBytes(24).toString('base64url'),
  serviceToken: randomBytes(24).toString('base64url'),
  opsToken: randomBytes(24).toString('base64url'),
  password: randomBytes(12).toString('base64url'),
})
