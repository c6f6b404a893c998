import type { RequestHandler } from 'express'
import type { ComponentChildren } from 'preact'
import type { Brand } from '../brand.ts'
import { serveDocsPage, type DocsPage } from './page.tsx'
import { readGuides, type Guide } from './site.ts'
import type { WebhookSources } from './well-known.ts'

/** The handlers of the guides by path. The guide for receivers lists the addresses that webhooks are sent from. */
export const guideHandlers = (
  brand: Brand,
  sources: WebhookSources | undefined,
): Readonly<Record<string, RequestHandler>> =>
  Object.fromEntries(
    Object.entries(readGuides()).map(([path, guide]) => {
      const below = path === '/docs/webhooks' && sources && <Sources sources={sources} />
      return [path, serveDocsPage(guidePage(guide, { below }), brand)]
    }),
  )

const Sources = ({ sources: { ipv4, ipv6 } }: { sources: WebhookSources }) => (
  <section id="source-addresses">
    <h2>Source addresses</h2>
    <p>
      Webhooks are sent from these addresses only. Programs can read them at{' '}
      <a href="/.well-known/webhook-sources.json">/.well-known/webhook-sources.json</a>. An address
      proves nothing about a delivery: always verify the signature.
    </p>
    <ul>
      {[...ipv4, ...ipv6].map((network) => (
        <li key={network}>
          <code>{network}</code>
        </li>
      ))}
    </ul>
  </section>
)

/** What a guide has for a signed-in reader. */
export interface OwnParts {
  /** Precedes the text. */
  readonly above?: ComponentChildren
  /** Follows the text. */
  readonly below?: ComponentChildren
  /** After how many ms a script loads the text again. */
  readonly liveMs?: number | undefined
}

/** The page of a guide. */
export const guidePage = (guide: Guide, { above, below, liveMs }: OwnParts = {}): DocsPage => ({
  title: guide.title,
  aside: guide.contents.length > 1 && <Contents guide={guide} />,
  content: (
    <>
      {above}
      {/* The build rendered it from a document of the repository, in which all HTML is escaped. */}
      <article
        id={above === undefined ? undefined : 'own-guide'}
        data-live={liveMs}
        dangerouslySetInnerHTML={{ __html: guide.html }}
      />
      {below}
    </>
  ),
})

const Contents = ({ guide: { contents } }: { guide: Guide }) => (
  <nav class="aside" aria-label="On this page">
    <details open>
      <summary>On this page</summary>
      <ul>
        {contents.map(({ id, text }) => (
          <li key={id}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </details>
  </nav>
)
