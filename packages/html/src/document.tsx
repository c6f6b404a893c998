import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Asset, Style } from './asset.ts'

/** The parts of a page. */
export interface DocumentParts {
  /** The title of the page. The product name is appended. */
  readonly title: string
  /** The name of the product, in the title. */
  readonly product: string
  readonly style: Style
  /** `undefined`: no icon; browsers do not request one. */
  readonly icon?: Asset | undefined
  /** Additional content of `<head>`. */
  readonly head?: ComponentChildren
  readonly body: ComponentChildren
}

/** Renders a page as HTML. All text is escaped. */
export const renderDocument = (parts: DocumentParts): string =>
  `<!doctype html>${renderToString(<Document {...parts} />)}`

const Document = ({ title, product, style, icon, head, body }: DocumentParts) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · ${product}`}</title>
      <link
        rel="preload"
        href={style.font.url}
        as="font"
        type="font/woff2"
        crossorigin="anonymous"
      />
      <link rel="stylesheet" href={style.url} />
      {icon ? (
        <link
          rel="icon"
          href={icon.url}
          type={icon.url.endsWith('.png') ? 'image/png' : 'image/svg+xml'}
        />
      ) : (
        <link rel="icon" href="data:," />
      )}
      {head}
    </head>
    <body>{body}</body>
  </html>
)

/** Escapes a text for HTML. Only for text that is put into rendered HTML. */
export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

/** The text that {@link escapeHtml}, or a renderer, has escaped. */
export const unescapeHtml = (html: string): string =>
  html.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => characters[entity]!)
