import { renderDocument } from '@hosting/html'
import type { ComponentChildren } from 'preact'
import type { SessionCaller } from '../../api/access/caller.ts'
import { icon, script, style } from '../../assets.ts'
import { flashMessages, type FlashMessageName } from '../flash-messages.ts'
import type { View } from '../page.ts'
import { PageContext } from './context.ts'
import { BrandMark, Shell } from './shell.tsx'
import { Alert } from './components.tsx'
import { LiveControls, UpdateMs } from './live.tsx'

/** What surrounds every page. */
export interface Frame {
  readonly context: PageContext
  readonly caller: SessionCaller | undefined
  readonly message: FlashMessageName | undefined
  readonly nonce: string
}

/** Renders a page as HTML. All text is escaped. */
export function renderPage(view: View, frame: Frame): string {
  const { title } = view
  const { refused } = frame.context
  return renderDocument({
    title: refused && !refused.isInterrupted ? `Error: ${title}` : title,
    product: frame.context.brand.name,
    style,
    icon: frame.context.brand.logo ?? icon,
    head: (
      <>
        <meta name="robots" content="noindex" />
        {frame.context.brand.style && (
          <link rel="stylesheet" href={frame.context.brand.style.url} />
        )}
        <script type="module" src={script.url} nonce={frame.nonce} />
      </>
    ),
    body: <Body view={view} frame={frame} />,
  })
}

function Body({ view, frame }: { view: View; frame: Frame }) {
  const { body, updateMs, layout = frame.caller ? 'shell' : 'bare' } = view
  const { caller, message, context } = frame
  const content = (
    <>
      {message !== undefined && (
        <div role="status">
          <Alert tone="ok">{flashMessages[message]}</Alert>
        </div>
      )}
      <LiveControls />
      {body}
    </>
  )
  return (
    <PageContext.Provider value={context}>
      <UpdateMs.Provider value={updateMs}>
        {layout === 'shell' && caller ? (
          <Shell caller={caller}>{content}</Shell>
        ) : (
          <Bare roomy={layout === 'roomy'}>{content}</Bare>
        )}
      </UpdateMs.Provider>
    </PageContext.Provider>
  )
}

/** A page with only the product name around it. */
const Bare = ({ roomy, children }: { roomy: boolean; children: ComponentChildren }) => (
  <div class={roomy ? 'bare roomy' : 'bare'}>
    <header>
      <a class="brand" href="/">
        <BrandMark />
      </a>
    </header>
    <main id="content">{children}</main>
  </div>
)
