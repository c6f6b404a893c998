import { getServer } from './auth/sign-in.ts'
import { command } from './command.ts'
import { usageError } from './exit-codes.ts'
import { resolveReference } from './references/resolve.ts'
import { isCi, isInteractive, type Environment } from './environment.ts'
import { isLoopback } from './server-url.ts'

/** The pages of the panel by name, and what their records are. */
const pages = {
  overview: { path: '/' },
  keys: { path: '/keys', of: 'any-key' },
  webhooks: { path: '/webhooks', of: 'webhook' },
  events: { path: '/events', of: 'event' },
  deliveries: { path: '/deliveries', of: 'delivery' },
  audit: { path: '/audit' },
  organization: { path: '/organization' },
  security: { path: '/security' },
  notices: { path: '/notices' },
  docs: { path: '/docs' },
} as const

type PageName = keyof typeof pages

/** Opens a page of the panel. */
export const open = command({
  path: 'open',
  summary: 'Open a page of the panel in the browser, and print its URL',
  examples: ['hctl open', 'hctl open deliveries', 'hctl open webhooks billing'],
  arguments: {
    page: {
      description: `${Object.keys(pages).join(', ')}; with an id or a name: the page of the record`,
      choices: Object.keys(pages),
      rest: true,
    },
  },
  async run(context, { page: [name = 'overview', record, ...more] }) {
    if (!Object.hasOwn(pages, name) || more.length > 0) {
      throw usageError('usage', `There is no page ${[name, ...more].join(' ')}.`)
    }
    const { path, of } = { of: undefined, ...pages[name as PageName] }
    if (record !== undefined && of === undefined) {
      throw usageError('usage', `The page ${name} has no records.`)
    }
    const id = record && of && (await resolveReference(context, of, record))
    const url = `${await getServer(context)}${path}${id ? `/${id}` : ''}`
    context.output.result({ url }, [url])
    await context.environment.openUrl(url).catch(() => undefined)
  },
})

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
