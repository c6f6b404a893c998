import { chmod } from 'node:fs/promises'
import { CliError } from '../exit-codes.ts'
import { readIfExists, replaceFile } from '../storage/atomic-file.ts'
import type { Kind } from './hosting-file.ts'

/** A secret of an object. It is null from before the request that makes it until it is stored. */
interface Entry {
  readonly id?: string
  readonly secret?: string | null
  readonly token?: string | null
}

type Entries = Partial<Record<Kind, Record<string, Entry | undefined>>>

/** The member of a response that is secret. */
export const secretMembers = { keys: 'token', webhooks: 'secret' } as const

/**
 * The file that secrets are written to, which only its owner can access. It names an object before the request that makes
 * its secret: after an interruption, the next apply knows which secret nobody has, and replaces it.
 */
export class SecretsFile {
  readonly #path: string
  readonly #entries: Entries
  /** What the file had of the objects that were announced. */
  readonly #earlier = new Map<string, Entry | undefined>()

  private constructor(path: string, entries: Entries) {
    this.#path = path
    this.#entries = entries
  }

  /** @throws CliError if the file exists and is not one of these. */
  static async open(path: string): Promise<SecretsFile> {
    const text = await readIfExists(path)
    if (text !== undefined) await chmod(path, 0o600)
    return new SecretsFile(path, text === undefined ? {} : parseEntries(path, text))
  }

  isUnstored(kind: Kind, externalId: string): boolean {
    return this.#entries[kind]?.[externalId]?.[secretMembers[kind]] === null
  }

  /** Call it before the request. */
  async announce(kind: Kind, externalId: string): Promise<void> {
    this.#earlier.set(`${kind} ${externalId}`, this.#entries[kind]?.[externalId])
    await this.#set(kind, externalId, { [secretMembers[kind]]: null })
  }

  async store(kind: Kind, externalId: string, made: { id: string; secret: string }): Promise<void> {
    await this.#set(kind, externalId, { id: made.id, [secretMembers[kind]]: made.secret })
  }

  /** Call it if the service has refused to make the secret. */
  async withdraw(kind: Kind, externalId: string): Promise<void> {
    await this.#set(kind, externalId, this.#earlier.get(`${kind} ${externalId}`))
  }

  async #set(kind: Kind, externalId: string, entry: Entry | undefined): Promise<void> {
    this.#entries[kind] = { ...this.#entries[kind], [externalId]: entry }
    await this.#write()
  }

  async #write(): Promise<void> {
    await replaceFile(this.#path, `${JSON.stringify(this.#entries, null, 2)}\n`)
  }
}

function parseEntries(path: string, text: string): Entries {
  try {
    const entries = JSON.parse(text) as unknown
    if (isObject(entries) && Object.values(entries).every(isObject)) return entries
  } catch {
    // The message of the parser repeats a part of the text.
  }
  throw new CliError('invalid_file', `The file ${path} exists and has no secrets of hctl apply.`)
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
