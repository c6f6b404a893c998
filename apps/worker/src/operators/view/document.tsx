import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { boardPath } from '../queue-board.ts'
import { runbookPath } from '../runbook.ts'

/** A page for operators. */
export interface OperatorsPage {
  readonly title: string
  readonly path: string
  /** After so many seconds the page is loaded anew. */
  readonly refreshSeconds?: number | undefined
  readonly body: ComponentChildren
}

const places = [
  ['/operations', 'Operations'],
  [boardPath, 'Queues'],
  [runbookPath, 'Runbook'],
  ['/metrics', 'Metrics'],
  ['/readyz', 'Readiness'],
] as const

/** A page as HTML. Every text in it is escaped. */
export const renderPage = (page: OperatorsPage, styleUrl: string): string =>
  `<!doctype html>${renderToString(<Document {...page} styleUrl={styleUrl} />)}`

const Document = ({
  title,
  path,
  refreshSeconds,
  body,
  styleUrl,
}: OperatorsPage & { styleUrl: string }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      {refreshSeconds !== undefined && (
        <meta http-equiv="refresh" content={String(refreshSeconds)} />
      )}
      <title>{`${title} · Hosting Control`}</title>
      <link rel="stylesheet" href={styleUrl} />
      <link rel="icon" href="data:," />
    </head>
    <body>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="bar">
        <p class="brand">Hosting Control</p>
        <nav aria-label="Operators' pages">
          <ul>
            {places.map(([href, name]) => (
              <li key={href}>
                <a href={href} aria-current={href === path ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="content" tabIndex={-1}>
        {body}
      </main>
    </body>
  </html>
)
