import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError, usageError } from '../exit-codes.ts'
import { readIfThere, writeAtomically } from './atomic-file.ts'
import type { StorageKind } from './credential-store.ts'

/** A sign-in that is kept: everything but its secret. */
export interface Profile {
  readonly server: string
  /** Where the token is: the one place that is asked for it. */
  readonly storage: StorageKind
  readonly key_id: string
  /** Whether the key came of `hctl login`'s approval, and so ends with `hctl logout`. */
  readonly origin: 'device' | 'given'
  readonly user: string
  readonly tenant: string
  readonly expires_at: string | null
}

/** The profiles, each in a file of its own, so that two sign-ins at a time do not undo each other. */
export class Profiles {
  readonly #directory: string

  constructor(configDirectory: string) {
    this.#directory = configDirectory
  }

  async find(name: string): Promise<Profile | undefined> {
    const path = this.#pathOf(name)
    const text = await readIfThere(path)
    if (text === undefined) return undefined
    try {
      return JSON.parse(text) as Profile
    } catch {
      throw new CliError('profile_damaged', `${path} is damaged. Remove it and sign in again.`)
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

  /** The profile of commands that name none. */
  async current(): Promise<string> {
    return (await readIfThere(join(this.#directory, 'current-profile')))?.trim() || 'default'
  }

  use(name: string): Promise<void> {
    return writeAtomically(join(this.#directory, 'current-profile'), `${name}\n`)
  }

  #pathOf = (name: string): string => join(this.#directory, 'profiles', `${name}.json`)
}

/** A profile's name is a file's too. */
export function checkProfileName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name
  const rule = '1 to 64 letters, digits, dots, dashes and underscores, a letter or digit first'
  throw usageError('profile_name', `A profile's name is ${rule}.`)
}
