import { join } from 'node:path'
import type { Surroundings } from '../surroundings.ts'

/** The directory of all that is kept between two commands. */
export function configDirectory({ env, platform, homeDirectory }: Surroundings): string {
  const base = platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME']
  return join(base || join(homeDirectory, '.config'), 'hctl')
}
