import { isLoopback } from '../server.ts'
import { isCi, isInteractive, type Surroundings } from '../surroundings.ts'

/** Whether a browser opened from here would be the person's own: not over SSH, in CI, or without a display. */
export function hasBrowser(surroundings: Surroundings): boolean {
  const { env, platform } = surroundings
  if (!isInteractive(surroundings) || isCi(surroundings)) return false
  if (env['SSH_TTY'] || env['SSH_CONNECTION'] || env['SSH_CLIENT']) return false
  if (platform !== 'linux') return true
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'])
}

/** Whether the address that a server gave may be opened: its own, and nothing that listens in on the way. */
export function mayOpen(address: string, server: string): boolean {
  if (!URL.canParse(address)) return false
  const [page, own] = [new URL(address), new URL(server)]
  if (isLoopback(page) && isLoopback(own)) return /^https?:$/.test(page.protocol)
  return page.origin === own.origin && page.protocol === 'https:'
}
