import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError, usageError } from '../exit-codes.ts'
import { readIfExists, writeAtomically } from '../storage/atomic-file.ts'
import type { StorageKind } from '../storage/choose-store.ts'

/** A stored sign-in, without its token. */
export interface Profile {
  readonly server: string
  /** Which store holds the token; no other is read. */
  readonly storage: StorageKind
  readonly key_id: string
  /** `device`: `hctl login` created the key, so `hctl logout` revokes it. `given`: the user passed it. */
  readonly origin: 'device' | 'given'
  readonly user: string
  readonly tenant: string
  readonly expires_at: string | null
}

/** The stored profiles: a file for each, so that concurrent sign-ins do not overwrite each other. */
export class Profiles {
  readonly #directory: string

  constructor(configDirectory: string) {
    this.#directory = configDirectory
  }

  async find(name: string): Promise<Profile | undefined> {
    const path = this.#pathOf(name)
    const text = await readIfExists(path)
    if (text === undefined) return undefined
    try {
      return JSON.parse(text) as Profile
    } catch {
      throw new CliError('profile_damaged', `${path} is damaged. Delete it and sign in again.`)
    }
  }

  async list(): Promise<string[]> {
    const files = await readdir(join(this.#directory, 'profiles')).catch(() => [])
    return files.flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []).toSorted()
  }

  save(name: string, profile: Profile): Promise<void> {
    return writeAtomically(this.#pathOf(name), `${JSON.stringify(profile, null, 2)}\n`)
  }

  remove(name: string): Promise<void> {
    return rm(this.#pathOf(name), { force: true })
  }

  /** The profile of commands without `--profile`. */
  async current(): Promise<string> {
    return (await readIfExists(join(this.#directory, 'current-profile')))?.trim() || 'default'
  }

  use(name: string): Promise<void> {
    return writeAtomically(join(this.#directory, 'current-profile'), `${name}\n`)
  }

  #pathOf = (name: string): string => join(this.#directory, 'profiles', `${name}.json`)
}

/** Returns the name if it is valid. It is also the name of a file. */
export function requireProfileName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name
  const rule =
    'A profile name has 1 to 64 letters, digits, dots, hyphens and underscores, and starts with a letter or digit.'
  throw usageError('profile_name', rule)
}
