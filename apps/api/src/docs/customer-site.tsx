import type { Config } from '@hosting/core/configuration'
import { eventTypesPage } from './event-types.tsx'
import { guidePages, withSources } from './guides.tsx'
import type { DocsPage, DocsSite } from './page.tsx'
import { problemPages } from './problems.tsx'
import { referenceLinks, referencePages } from './reference.tsx'
import { readGuides } from './site.ts'
import type { MenuLink, MenuSection } from './sidebar.tsx'
import { quickstartLinks, startPage } from './start-page.tsx'
import { findWebhookSources } from './well-known.ts'

const rules: readonly MenuLink[] = [
  ['/docs/specification/requests', 'Requests and responses'],
  ['/docs/specification/errors', 'Errors'],
  ['/docs/specification/limits', 'Limits'],
  ['/docs/specification/api-keys', 'API keys'],
  ['/docs/specification/workload-keys', 'Workload keys'],
  ['/docs/specification/scopes', 'Scopes, permissions and roles'],
  ['/docs/specification/webhooks', 'Webhook endpoints'],
  ['/docs/specification/deliveries', 'Deliveries'],
  ['/docs/specification/sign-in', 'Sign-in and sessions'],
  ['/docs/specification/device-login', 'Device login'],
  ['/docs/specification/oauth', 'OAuth endpoints'],
  ['/docs/specification/notices', 'Notices'],
  ['/docs/specification/panel', 'Panel'],
  ['/docs/specification/audit-log', 'Audit log'],
]

const menuOf = (command: string): readonly MenuSection[] => [
  {
    title: 'Receive webhooks',
    links: [['/docs/webhooks', 'Guide'], ['/docs/events', 'Event types'], ...quickstartLinks],
  },
  {
    title: 'Call the API',
    links: [
      ...referenceLinks,
      ['/docs/sdk', 'SDKs'],
      ['/docs/generators', 'Generate a client'],
      ['/docs/oauth-clients', 'OAuth clients'],
      ['/docs/problems', 'Problems'],
    ],
  },
  {
    title: 'Command line and CI',
    links: [
      ['/docs/cli', command],
      ['/docs/ci', 'Run in CI'],
    ],
  },
  { title: 'Rules', links: rules },
  {
    title: 'More',
    links: [
      ['/docs/security', 'Protect your account'],
      ['/docs/changelog', 'Changelog'],
    ],
  },
]

/** The documentation for customers. It says nothing of the internal API, of branding or of other platforms. */
export function createCustomerSite(config: Config): DocsSite {
  const sources = findWebhookSources(config)
  const guides = guidePages(readGuides('customers')).map((page): DocsPage => {
    if (page.path === '/docs/webhooks' && sources) return withSources(page, sources)
    if (page.path === '/docs/changelog') return { ...page, head: <Feed /> }
    return page
  })
  return {
    menu: menuOf(config.brandCommand),
    panel: { path: '/', name: 'Panel' },
    pages: [startPage, eventTypesPage, ...referencePages, ...guides, ...problemPages('customers')],
  }
}

const Feed = () => <link rel="alternate" href="/docs/changelog.atom" type="application/atom+xml" />
