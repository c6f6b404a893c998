import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Asset } from './asset.ts'

/** What a page is made of. */
export interface DocumentParts {
  /** Of the page; the product's name follows it. */
  readonly title: string
  readonly style: Asset
  /** `undefined`: none, so that browsers ask for none. */
  readonly icon?: Asset | undefined
  /** What else its head holds. */
  readonly head?: ComponentChildren
  readonly body: ComponentChildren
}

/** A page as HTML. Every text in it is escaped. */
export const renderDocument = (parts: DocumentParts): string =>
  `<!doctype html>${renderToString(<Document {...parts} />)}`

const Document = ({ title, style, icon, head, body }: DocumentParts) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · Hosting Control`}</title>
      <link rel="stylesheet" href={style.url} />
      {icon ? (
        <link rel="icon" href={icon.url} type="image/svg+xml" />
      ) : (
        <link rel="icon" href="data:," />
      )}
      {head}
    </head>
    <body>{body}</body>
  </html>
)
