import { readFileSync } from 'node:fs'
import { root } from '../run.ts'

/** A package that package-lock.json installs, other than our own workspaces. */
export interface LockedPackage {
  readonly name: string
  readonly version: string
  /** Its path from the root of the repository. */
  readonly path: string
  /** Whether `npm ci --omit=dev` leaves it out. */
  readonly isDev: boolean
  /** As recorded by npm; `undefined` if npm found none. */
  readonly license: string | undefined
  /** Whether it is only for some platforms, and may be missing here. */
  readonly isOfPlatform: boolean
}

interface Entry {
  readonly name?: string
  readonly version?: string
  readonly dev?: boolean
  readonly link?: boolean
  readonly license?: string
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

/** The packages of package-lock.json. */
export function readLockedPackages(): LockedPackage[] {
  const text = readFileSync(`${root}package-lock.json`, 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, Entry> }
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, { name, version = '', dev = false, license, os, cpu }]) => ({
      name: name ?? path.split('node_modules/').at(-1)!,
      version,
      path,
      isDev: dev,
      license,
      isOfPlatform: os !== undefined || cpu !== undefined,
    }))
}
