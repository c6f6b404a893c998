import type { RequestHandler } from 'express'
import type { ComponentChildren } from 'preact'
import type { Brand } from '../brand.ts'
import { servePage, type DocsPage } from './page.tsx'
import { readGuides, type Guide } from './site.ts'

/** The handlers of the guides by path. */
export const guideHandlers = (brand: Brand): Readonly<Record<string, RequestHandler>> =>
  Object.fromEntries(
    Object.entries(readGuides()).map(([path, guide]) => [path, servePage(guidePage(guide), brand)]),
  )

/** What a guide has for a signed-in reader. */
export interface OwnParts {
  /** Precedes the text. */
  readonly above?: ComponentChildren
  /** After how many ms a script loads the text again. */
  readonly liveMs?: number | undefined
}

/** The page of a guide. */
export const guidePage = (guide: Guide, { above, liveMs }: OwnParts = {}): DocsPage => ({
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
