import { renderDocument } from '@hosting/pages'
import type { ComponentChildren } from 'preact'
import type { SessionCaller } from '../../http/caller.ts'
import { icon, script, style } from '../../assets.ts'
import { notices, type NoticeName } from '../notices.ts'
import type { Screen } from '../page.ts'
import { PageContext } from './context.ts'
import { Mark } from './icon.tsx'
import { Alert } from './parts.tsx'
import { Shell } from './shell.tsx'

/** What surrounds every page. */
export interface Frame {
  readonly context: PageContext
  readonly caller: SessionCaller | undefined
  readonly notice: NoticeName | undefined
  readonly nonce: string
}

/** Renders a page as HTML. All text is escaped. */
export function renderPage(screen: Screen, frame: Frame): string {
  const { title, refreshSeconds } = screen
  return renderDocument({
    title: frame.context.refused ? `Error: ${title}` : title,
    style,
    icon,
    head: (
      <>
        <meta name="robots" content="noindex" />
        {refreshSeconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        )}
        <script type="module" src={script.url} nonce={frame.nonce} />
      </>
    ),
    body: <Body screen={screen} frame={frame} />,
  })
}

function Body({ screen, frame }: { screen: Screen; frame: Frame }) {
  const { body, layout = frame.caller ? 'shell' : 'alone' } = screen
  const { caller, notice, context } = frame
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
    <PageContext.Provider value={context}>
      {layout === 'shell' && caller ? (
        <Shell caller={caller}>{content}</Shell>
      ) : (
        <Alone roomy={layout === 'roomy'}>{content}</Alone>
      )}
    </PageContext.Provider>
  )
}

/** A page with only the product name around it. */
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
