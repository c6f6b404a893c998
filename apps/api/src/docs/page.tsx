import { defaultNames } from '@hosting/core/branding'
import { renderDocument, sendPage, type PagePolicy } from '@hosting/html'
import type { RequestHandler } from 'express'
import type { ComponentChildren } from 'preact'
import { docsStyle, icon } from '../assets.ts'
import type { Brand } from '../brand.ts'

/** These pages, except a quickstart for a signed-in reader, run no scripts, load only their style sheet and icon, and submit only the search. */
export const policy: PagePolicy = {
  loads: ["style-src 'self'", "img-src 'self'"],
  formAction: "'self'",
}

/** A page of the documentation. */
export interface DocsPage {
  readonly title: string
  readonly content: ComponentChildren
  /** Links beside the content. */
  readonly aside?: ComponentChildren
  /** Additional content of `<head>`. */
  readonly head?: ComponentChildren
  /** The links of the header; default: those of the public documentation. */
  readonly links?: readonly (readonly [path: string, name: string])[]
}

/** Serves a static page. It is the same for everyone, so it is rendered once. */
export function serveDocsPage(page: DocsPage, brand: Brand): RequestHandler {
  const document = Buffer.from(renderStatic(page, brand))
  return (_req, res) => sendPage(res, document, policy)
}

/** Renders a page of which we wrote every text, with the configured names. */
export const renderStatic = (page: DocsPage, brand: Brand): string =>
  brand.renameHtml(renderDocsPage(page, { ...brand, name: defaultNames.brandName }))

/** Renders a page with the header of the documentation. */
export const renderDocsPage = (
  { title, content, aside, head, links = publicLinks }: DocsPage,
  { name, logo, style }: Brand,
): string =>
  renderDocument({
    title,
    product: name,
    style: docsStyle,
    icon: logo ?? icon,
    head: (
      <>
        {style && <link rel="stylesheet" href={style.url} />}
        {head}
      </>
    ),
    body: (
      <>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <header class="site">
          <nav aria-label="Documentation">
            {logo && <img src={logo.url} alt="" height="26" />}
            {links.map(([path, label]) => (
              <a key={path} href={path}>
                {label}
              </a>
            ))}
          </nav>
        </header>
        <div class={aside === undefined ? 'layout' : 'layout with-aside'}>
          {aside}
          <main id="content" tabindex={-1}>
            {content}
          </main>
        </div>
      </>
    ),
  })

const publicLinks = [
  ['/docs', 'Documentation'],
  ['/docs/webhooks', 'Webhooks'],
  ['/docs/api', 'API'],
  ['/docs/integrate', 'Integrate'],
  ['/docs/cli', 'hctl'],
  ['/docs/sdk', 'SDK'],
  ['/problems', 'Problems'],
] as const

/** Text in which backticks mark code. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((piece, index) => (index % 2 === 1 ? <code>{piece}</code> : piece))}</>
)
