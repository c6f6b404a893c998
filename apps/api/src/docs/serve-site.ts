import { defaultNames } from '@hosting/core/branding'
import { staticContent, staticPage, type SendBody } from '@hosting/html'
import type { Request, RequestHandler } from 'express'
import type { Brand } from '../brand.ts'
import { highlightCode } from '../highlight.ts'
import { policy, renderStatic, type DocsPage, type DocsSite } from './page.tsx'
import { serveSearch } from './search.tsx'
import { toMarkdown } from './to-markdown.ts'

/** Serves each page of the documentation, the same as Markdown, their list, and the search, by path. */
export function siteHandlers(
  site: DocsSite,
  {
    brand,
    origin,
    addressOf,
  }: {
    readonly brand: Brand
    readonly origin: string
    /** The address of the client. */
    readonly addressOf: (req: Request) => string
  },
): Readonly<Record<string, RequestHandler>> {
  const paths = new Set(site.pages.map(({ path }) => path))
  const pages = site.pages.flatMap((page): [string, RequestHandler][] => [
    [
      page.path,
      serveBody(staticPage(() => highlightCode(renderStatic(page, site, brand)), policy)),
    ],
    [`${page.path}.md`, serveText(markdown, () => markdownOf(page, { paths, brand }))],
  ])
  return {
    ...Object.fromEntries(pages),
    '/docs/search': serveSearch(site, brand, addressOf),
    '/llms.txt': serveText('text/plain; charset=utf-8', () =>
      listForMachines(site, { brand, origin }),
    ),
  }
}

const serveBody =
  (send: SendBody): RequestHandler =>
  (_req, res) =>
    send(res)

const markdown = 'text/markdown; charset=utf-8'

/** Serves a text that is the same for everyone. It is made when it is first requested. */
export function serveText(type: string, make: () => string): RequestHandler {
  let send: SendBody | undefined
  return (_req, res) => {
    send ??= staticContent(Buffer.from(make()))
    res.setHeader('Content-Type', type)
    send(res)
  }
}

interface MarkdownParts {
  /** The paths of all pages, which have Markdown too. */
  readonly paths: ReadonlySet<string>
  readonly brand: Brand
}

function markdownOf(page: DocsPage, { paths, brand }: MarkdownParts): string {
  const resolveHref = (href: string): string => {
    const [path = '', anchor] = href.split('#')
    const target = paths.has(path) ? `${path}.md` : path
    return anchor === undefined ? target : `${target}#${anchor}`
  }
  const text = page.markdown ?? toMarkdown(page.content, resolveHref)
  return page.showsDefaults ? text : brand.rename(text)
}

/** `/llms.txt`: the Markdown of all pages, those of the menu first (https://llmstxt.org). */
function listForMachines(
  { menu, pages }: DocsSite,
  { brand, origin }: { readonly brand: Brand; readonly origin: string },
): string {
  const inMenu = new Set(menu.flatMap(({ links }) => links.map(([path]) => path)))
  const others = pages.filter(({ path }) => !inMenu.has(path))
  const more = {
    title: 'Other pages',
    links: others.map(({ path, title }) => [path, title] as const),
  }
  const sections = [...menu, more].map(({ title, links }) => {
    const lines = links.map(([path, name]) => `- [${name}](${origin}${path}.md)`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  const introduction = `# ${defaultNames.brandName}\n\n> API keys, device login and signed webhooks.\n`
  return brand.rename([introduction, ...sections].join('\n'))
}
