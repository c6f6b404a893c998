import { defaultNames } from '@hosting/core/branding'
import { renderDocument, type PagePolicy } from '@hosting/html'
import type { ComponentChildren } from 'preact'
import { docsScript, docsStyle, icon } from '../assets.ts'
import type { Brand } from '../brand.ts'
import { SearchForm, Sidebar, type Heading, type MenuSection } from './sidebar.tsx'

/** These pages load only their script, style sheet and icon, and submit only the search. */
export const policy: PagePolicy = {
  loads: ["script-src 'self'", "style-src 'self'", "img-src 'self'"],
  formAction: "'self'",
}

/** A page of the documentation. */
export interface DocsPage {
  readonly path: string
  /** The link of the menu that it belongs to. Default: its path. */
  readonly menuPath?: string
  readonly title: string
  readonly content: ComponentChildren
  readonly contents?: readonly Heading[]
  /** The page as Markdown. Default: made of `content`. */
  readonly markdown?: string
  /** Additional content of `<head>`. */
  readonly head?: ComponentChildren
  /** Whether the page shows the default names, because it explains the settings that change them. */
  readonly showsDefaults?: boolean
}

/** The documentation on a port: for customers, or for the platform's engineers and operators. */
export interface DocsSite {
  readonly pages: readonly DocsPage[]
  readonly menu: readonly MenuSection[]
  /** A link from the header to the panel, for customers. */
  readonly panel?: { readonly path: string; readonly name: string }
}

/** Renders a page of which we wrote every text, with the configured names. */
export function renderStatic(page: DocsPage, site: DocsSite, brand: Brand): string {
  if (page.showsDefaults) return renderDocsPage(page, site, brand)
  return brand.renameHtml(renderDocsPage(page, site, { ...brand, name: defaultNames.brandName }))
}

/** What differs between responses with the same page. */
interface Shown {
  /** The query whose results the page shows. Results have no Markdown. */
  readonly query?: string
  /** The nonce of the scripts, where the policy of the page requires one. */
  readonly nonce?: string
}

/** Renders a page with the header and the sidebar of the documentation. */
export const renderDocsPage = (
  page: DocsPage,
  site: DocsSite,
  { name, logo, style }: Brand,
  { query, nonce }: Shown = {},
): string =>
  withCopyButtons(
    renderDocument({
      title: page.title,
      product: name,
      style: docsStyle,
      icon: logo ?? icon,
      head: (
        <>
          {style && <link rel="stylesheet" href={style.url} />}
          {query === undefined && (
            <link rel="alternate" href={`${page.path}.md`} type="text/markdown" />
          )}
          <script type="module" src={docsScript.url} nonce={nonce} />
          {page.head}
        </>
      ),
      body: (
        <>
          <a class="skip" href="#content">
            Skip to content
          </a>
          <header class="site">
            <div>
              <a class="home" href="/docs">
                {logo && <img src={logo.url} alt="" height="26" />}
                {name} <span>Docs</span>
              </a>
              <SearchForm query={query ?? ''} />
              {site.panel && <a href={site.panel.path}>{site.panel.name}</a>}
            </div>
          </header>
          <div class="layout">
            <Sidebar
              menu={site.menu}
              path={page.menuPath ?? page.path}
              contents={page.contents ?? []}
            />
            <main id="content" tabindex={-1}>
              {page.content}
              {query === undefined && (
                <p class="as-markdown quiet small">
                  <a class="standalone" href={`${page.path}.md`}>
                    This page as Markdown
                  </a>
                </p>
              )}
            </main>
          </div>
          <p id="copied" role="status" />
          <SingleKeys />
        </>
      ),
    }),
  )

/** Turns the key `/` off, as WCAG 2.1.4 requires. On the public port, the panel has the same choice. */
const SingleKeys = () => (
  <footer class="site" hidden>
    <label>
      <input type="checkbox" data-single-keys />
      <span>
        Use shortcuts of a single character in this browser: <kbd>/</kbd> goes to the search
      </span>
    </label>
  </footer>
)

/** Adds a button to every block of code. It is hidden unless the script runs. */
const withCopyButtons = (html: string): string =>
  html
    .replaceAll('<pre>', '<div class="code"><pre>')
    .replaceAll(
      '</pre>',
      '</pre><button type="button" class="copy" aria-label="Copy code">Copy</button></div>',
    )

/** Text in which backticks mark code. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((piece, index) => (index % 2 === 1 ? <code>{piece}</code> : piece))}</>
)
