import { getServer } from './auth/sign-in.ts'
import { command } from './command.ts'
import { usageError } from './exit-codes.ts'
import { resolveReference } from './references/resolve.ts'

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
