import { glob } from 'node:fs/promises'
import { installDebianPackage } from '../../tools/local-stack/debian-package.ts'

/**
 * The environment of a process whose wall clock is off by an offset such as `+32d`, `+2h` or `-2d`. Its monotonic
 * clock is correct. Installs libfaketime with apt-get if it is missing.
 *
 * @throws Error if it is missing and cannot be installed.
 */
export async function clockOffBy(offset: string): Promise<Record<string, string>> {
  return {
    LD_PRELOAD: await getLibrary(),
    FAKETIME: offset,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
}

async function getLibrary(): Promise<string> {
  const installed = await findLibrary()
  if (installed !== undefined) return installed
  const error = await installDebianPackage('libfaketime')
  const library = await findLibrary()
  if (library === undefined) throw new Error('libfaketime is missing', { cause: error })
  return library
}

/** The library for multi-threaded programs. */
async function findLibrary(): Promise<string | undefined> {
  for await (const path of glob('/usr/lib/*/faketime/libfaketimeMT.so.1')) return path
  return undefined
}
