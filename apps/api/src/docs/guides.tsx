import type { ComponentChildren } from 'preact'
import type { DocsPage } from './page.tsx'
import type { Guide } from './site.ts'
import type { WebhookSources } from './well-known.ts'

/** Documents about the settings that change names. */
const aboutSettings: ReadonlySet<string> = new Set([
  '/docs/configuration',
  '/docs/integrate/branding',
  '/docs/operations',
  '/docs/specification/operations',
])

/** The pages of the guides. */
export const guidePages = (guides: Readonly<Record<string, Guide>>): DocsPage[] =>
  Object.entries(guides).map(([path, guide]) => guidePage(path, guide))

/** The guide for receivers, which lists the addresses that webhooks are sent from. */
export const withSources = (page: DocsPage, { ipv4, ipv6 }: WebhookSources): DocsPage => {
  const networks = [...ipv4, ...ipv6]
  const list = networks.map((network) => `- \`${network}\``).join('\n')
  return {
    ...page,
    contents: [...(page.contents ?? []), { id: 'source-addresses', text: 'Source addresses' }],
    markdown: `${page.markdown}\n## Source addresses\n\nWebhooks are sent from these addresses only.\n\n${list}\n`,
    content: (
      <>
        {page.content}
        <section id="source-addresses">
          <h2>Source addresses</h2>
          <p>
            Webhooks are sent from these addresses only. Programs can read them at{' '}
            <a href="/.well-known/webhook-sources.json">/.well-known/webhook-sources.json</a>. An
            address proves nothing about a delivery: always verify the signature.
          </p>
          <ul>
            {networks.map((network) => (
              <li key={network}>
                <code>{network}</code>
              </li>
            ))}
          </ul>
        </section>
      </>
    ),
  }
}

/** What a guide has for a signed-in reader. */
export interface OwnParts {
  /** Precedes the text. */
  readonly above?: ComponentChildren
  /** After how many ms a script loads the text again. */
  readonly liveMs?: number | undefined
}

/** The page of a guide. */
export const guidePage = (
  path: string,
  { title, html, markdown, contents }: Guide,
  { above, liveMs }: OwnParts = {},
): DocsPage => ({
  path,
  title,
  contents,
  markdown,
  showsDefaults: aboutSettings.has(path),
  content: (
    <>
      {above}
      {/* The build rendered it from a document of the repository, in which all HTML is escaped. */}
      <article
        id={above === undefined ? undefined : 'own-guide'}
        data-live={liveMs}
        dangerouslySetInnerHTML={{ __html: html }}
      />
    </>
  ),
})
