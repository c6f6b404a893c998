import type { ComponentChildren } from 'preact'
import { renderDocument, type Asset, type Style } from '../../index.ts'
import { runbookHtml, runbookPath } from '../runbook.ts'

/** The path of Bull Board. */
export const boardPath = '/queues'

/** A page for operators. */
export interface OperatorsPage {
  readonly title: string
  readonly path: string
  /** The interval after which the page reloads itself. */
  readonly refreshSeconds?: number | undefined
  readonly body: ComponentChildren
}

/** The path and name of each page. Only workers serve the queues. */
const linksOf = (hasBoard: boolean) => [
  ['/operations', 'Operations'] as const,
  ...(hasBoard ? [[boardPath, 'Queues'] as const] : []),
  [runbookPath, 'Runbook'] as const,
  ['/metrics', 'Metrics'] as const,
  ['/readyz', 'Readiness'] as const,
]

/** What all pages have in common. */
export interface OperatorsAppearance {
  /** The name of the service. */
  readonly brandName: string
  readonly style: Style
  /** The style sheet with the company's color. `undefined`: our own color. */
  readonly brandStyle: Asset | undefined
  /** Whether this process serves Bull Board. */
  readonly hasBoard: boolean
}

/** Renders a page as HTML. Every text in it is escaped. */
export const renderOperatorsPage = (
  { title, path, refreshSeconds, body }: OperatorsPage,
  { brandName, style, brandStyle, hasBoard }: OperatorsAppearance,
): string =>
  renderDocument({
    title,
    product: brandName,
    style,
    head: (
      <>
        {brandStyle && <link rel="stylesheet" href={brandStyle.url} />}
        {refreshSeconds !== undefined && (
          <meta http-equiv="refresh" content={String(refreshSeconds)} />
        )}
      </>
    ),
    body: (
      <Body path={path} brandName={brandName} hasBoard={hasBoard}>
        {body}
      </Body>
    ),
  })

interface BodyParts {
  readonly path: string
  readonly brandName: string
  readonly hasBoard: boolean
  readonly children: ComponentChildren
}

const Body = ({ path, brandName, hasBoard, children }: BodyParts) => (
  <>
    <a class="skip" href="#content">
      Skip to content
    </a>
    <header class="bar">
      <p class="brand">{brandName}</p>
      <nav aria-label="Operators' pages">
        <ul>
          {linksOf(hasBoard).map(([href, name]) => (
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

/** docs/operations.md. We write the text, so it is not escaped, and it gets the configured names. */
export const createRunbookPage = (renameHtml: (html: string) => string): OperatorsPage => ({
  title: 'Runbook',
  path: runbookPath,
  body: <div dangerouslySetInnerHTML={{ __html: renameHtml(runbookHtml) }} />,
})
