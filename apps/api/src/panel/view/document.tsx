import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { SessionCaller } from '../../http/caller.ts'
import { icon, script, style } from '../assets.ts'
import { notices, type NoticeName } from '../notices.ts'
import type { Screen } from '../page.ts'
import { PageContext } from './context.ts'
import { Mark } from './icon.tsx'
import { Alert } from './parts.tsx'
import { Shell } from './shell.tsx'

/** What stands around every page. */
export interface Frame {
  readonly context: PageContext
  readonly caller: SessionCaller | undefined
  readonly notice: NoticeName | undefined
  readonly nonce: string
}

/** A page as HTML. Every text in it is escaped. */
export const renderPage = (screen: Screen, frame: Frame): string =>
  `<!doctype html>${renderToString(<Document screen={screen} frame={frame} />)}`

function Document({ screen, frame }: { screen: Screen; frame: Frame }) {
  const { title, body, layout = frame.caller ? 'shell' : 'alone', refreshSeconds } = screen
  const { caller, notice, nonce, context } = frame
  const content = (
    <>
      {notice !== undefined && (
        <div role="status">
          <Alert tone="ok">{notices[notice]}</Alert>
        </div>
      )}
      {body}
    </>
  )
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${context.refused ? 'Error: ' : ''}${title} · Hosting Control`}</title>
        <link rel="stylesheet" href={style.url} />
        <link rel="icon" href={icon.url} type="image/svg+xml" />
        {refreshSeconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        )}
        <script type="module" src={script.url} nonce={nonce} />
      </head>
      <body>
        <PageContext.Provider value={context}>
          {layout === 'shell' && caller ? (
            <Shell caller={caller}>{content}</Shell>
          ) : (
            <Alone roomy={layout === 'roomy'}>{content}</Alone>
          )}
        </PageContext.Provider>
      </body>
    </html>
  )
}

/** A page with nothing around it but the product's name. */
const Alone = ({ roomy, children }: { roomy: boolean; children: ComponentChildren }) => (
  <div class={roomy ? 'alone roomy' : 'alone'}>
    <header>
      <a class="brand" href="/">
        <Mark />
        Hosting Control
      </a>
    </header>
    <main id="content">{children}</main>
  </div>
)
