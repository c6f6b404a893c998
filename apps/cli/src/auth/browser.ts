import { isCi, isInteractive, type Environment } from '../environment.ts'
import { isLoopback } from '../server-url.ts'

/** Whether the user can see a browser opened from here: not over SSH, in CI or without a display. */
export function hasBrowser(environment: Environment): boolean {
  const { env, platform } = environment
  if (!isInteractive(environment) || isCi(environment)) return false
  if (env['SSH_TTY'] || env['SSH_CONNECTION'] || env['SSH_CLIENT']) return false
  if (platform !== 'linux') return true
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'])
}

/** Whether to open a URL that the server returned: only the server's own pages, over TLS or loopback. */
export function mayOpen(address: string, server: string): boolean {
  if (!URL.canParse(address)) return false
  const [page, own] = [new URL(address), new URL(server)]
  if (isLoopback(page) && isLoopback(own)) return /^https?:$/.test(page.protocol)
  return page.origin === own.origin && page.protocol === 'https:'
}
