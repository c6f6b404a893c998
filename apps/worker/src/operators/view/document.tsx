import { renderDocument, type Asset } from '@hosting/html'
import type { ComponentChildren } from 'preact'
import { boardPath } from '../queue-board.ts'
import { runbookPath } from '../runbook.ts'

/** A page for operators. */
export interface OperatorsPage {
  readonly title: string
  readonly path: string
  /** The interval after which the page reloads itself. */
  readonly refreshSeconds?: number | undefined
  readonly body: ComponentChildren
}

const links = [
  ['/operations', 'Operations'],
  [boardPath, 'Queues'],
  [runbookPath, 'Runbook'],
  ['/metrics', 'Metrics'],
  ['/readyz', 'Readiness'],
] as const

/** Renders a page as HTML. Every text in it is escaped. */
export const renderPage = (
  { title, path, refreshSeconds, body }: OperatorsPage,
  style: Asset,
): string =>
  renderDocument({
    title,
    style,
    head: refreshSeconds !== undefined && (
      <meta http-equiv="refresh" content={String(refreshSeconds)} />
    ),
    body: <Body path={path}>{body}</Body>,
  })

const Body = ({ path, children }: { path: string; children: ComponentChildren }) => (
  <>
    <a class="skip" href="#content">
      Skip to content
    </a>
    <header class="bar">
      <p class="brand">Hosting Control</p>
      <nav aria-label="Operators' pages">
        <ul>
          {links.map(([href, name]) => (
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
      {children}
    </main>
  </>
)
