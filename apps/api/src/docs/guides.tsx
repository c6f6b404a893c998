import type { RequestHandler } from 'express'
import type { Brand } from '../brand.ts'
import { servePage } from './page.tsx'
import { readGuides, type Guide } from './site.ts'

/** The handlers of the guides by path. */
export const guideHandlers = (brand: Brand): Readonly<Record<string, RequestHandler>> =>
  Object.fromEntries(
    Object.entries(readGuides()).map(([path, guide]) => [path, serveGuide(guide, brand)]),
  )

const serveGuide = (guide: Guide, brand: Brand): RequestHandler =>
  servePage(
    {
      title: guide.title,
      aside: guide.contents.length > 1 && <Contents guide={guide} />,
      // The build rendered it from a document of the repository, in which all HTML is escaped.
      content: <article dangerouslySetInnerHTML={{ __html: guide.html }} />,
    },
    brand,
  )

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
