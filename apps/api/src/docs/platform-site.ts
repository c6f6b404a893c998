import { guidePages } from './guides.tsx'
import type { DocsPage, DocsSite } from './page.tsx'
import { problemPages } from './problems.tsx'
import { readGuides } from './site.ts'
import type { MenuSection } from './sidebar.tsx'
import { platformStartPage } from './platform-start-page.tsx'

const integration: MenuSection = {
  title: 'Integrate',
  links: [
    ['/docs/integrate', 'Integration guide'],
    ['/docs/integrate/directory', 'Directory'],
    ['/docs/integrate/publish', 'Publish events'],
    ['/docs/integrate/authorize', 'Authorize requests'],
    ['/docs/integrate/sign-in-links', 'Sign-in links'],
    ['/docs/integrate/openid-connect', 'OpenID Connect'],
    ['/docs/integrate/billing', 'Billing'],
    ['/docs/integrate/support', 'Support'],
    ['/docs/integrate/erase', 'Erase a person'],
    ['/docs/integrate/branding', 'Branding'],
    ['/docs/internal-api', 'Internal API reference'],
  ],
}

const operation: MenuSection = {
  title: 'Operate',
  links: [
    ['/docs/operations', 'Runbook'],
    ['/docs/configuration', 'Configuration'],
    ['/docs/metrics', 'Metrics'],
    ['/docs/scaling', 'Scaling'],
  ],
}

/** The specification: every rule. */
const titlesOfRules = (pages: readonly DocsPage[]): MenuSection => ({
  title: 'Rules',
  links: [
    ...pages
      .filter(({ path }) => path.startsWith('/docs/specification/'))
      .map(({ path, title }) => [path, title] as const),
    ['/docs/webhooks', 'Guide for receivers'],
    ['/docs/problems', 'Problems'],
  ],
})

/** The documentation for the platform's engineers and operators. */
export function createPlatformSite(reference: DocsPage): DocsSite {
  const guides = guidePages(readGuides('platform'))
  const menu = [integration, operation, titlesOfRules(guides)]
  return {
    menu,
    pages: [platformStartPage, reference, ...guides, ...problemPages('platform')],
  }
}
