import { Problem } from '@hosting/core/problems'
import { findAppearance, sendPage, staticPage } from '@hosting/html'
import type { Request, RequestHandler, Response } from 'express'
import { script } from '../assets.ts'
import {
  FirstEvent,
  firstEventUpdateMs,
  isWaitingForFirst,
} from '../panel/pages/webhooks/first-event.tsx'
import { receive, type ReceivedRequest } from '../panel/receive.ts'
import { policyWith } from '../panel/send.ts'
import { PageContext } from '../panel/view/context.ts'
import type { WebhookRecord } from '../records/webhook.ts'
import { listWebhooksRoute } from '../routes/webhooks.ts'
import type { Services } from '../services.ts'
import { guidePage } from './guides.tsx'
import { highlightCode } from './highlight.ts'
import { policy, renderDocsPage, renderStatic, type DocsSite } from './page.tsx'
import { readGuides, type Guide } from './site.ts'

/** The handlers of the quickstarts by path. A signed-in reader sees their own endpoint and its first event. */
export const quickstartHandlers = (
  services: Services,
  site: DocsSite,
): Readonly<Record<string, RequestHandler>> =>
  Object.fromEntries(
    Object.entries(readGuides('customers'))
      .filter(([path]) => path.startsWith('/docs/quickstart/'))
      .map(([path, guide]) => [path, serveQuickstart({ services, site, path, guide })]),
  )

/** A quickstart of the site. */
interface Quickstart {
  readonly services: Services
  readonly site: DocsSite
  readonly path: string
  readonly guide: Guide
}

function serveQuickstart(quickstart: Quickstart): RequestHandler {
  const { services, site, path, guide } = quickstart
  const sendPublic = staticPage(
    () => highlightCode(renderStatic(guidePage(path, guide), site, services.brand)),
    policy,
  )
  return async (req, res) => {
    res.setHeader('Vary', 'Cookie')
    const reader = await findReader(services, req, res)
    if (!reader) {
      res.setHeader('Cache-Control', 'no-cache')
      return sendPublic(res)
    }
    // A page with a person's own data is never stored, and no shared cache may keep it.
    res.setHeader('Cache-Control', 'private, no-store')
    const page = renderOwnPage(quickstart, { url: req.originalUrl, ...reader })
    return sendPage(res, page, policyWith(reader.received.nonce))
  }
}

/** A signed-in reader who may see the endpoints of their organization, and these, newest first. */
interface Reader {
  readonly received: ReceivedRequest
  readonly endpoints: readonly WebhookRecord[]
}

/** Finds the reader. Everyone else, and everyone while the database cannot be reached, gets the public page. */
export async function findReader(
  services: Services,
  req: Request,
  res: Response,
): Promise<Reader | undefined> {
  try {
    const serving = { services, toReturnPath: () => '/' }
    const received = await receive(undefined, serving, { req, res })
    if (!received.pageRequest.caller) return undefined
    const { items } = await received.pageRequest.call(listWebhooksRoute)
    return { received, endpoints: items }
  } catch (error) {
    if (!(error instanceof Problem)) services.log.warn({ err: error }, 'a reader was not found')
    return undefined
  }
}

/** After how many ms a page without an endpoint is loaded again. */
const searchMs = 5_000

interface OwnPage extends Reader {
  readonly url: string
}

function renderOwnPage({ services, site, path, guide }: Quickstart, own: OwnPage): string {
  const { url, endpoints, received } = own
  const { now, caller, query } = received.pageRequest
  const chosen = endpoints.find(({ id }) => id === query['webhook_id']) ?? endpoints[0]
  const isWaiting = chosen === undefined || isWaitingForFirst(chosen)
  const values = {
    HCTL_URL: services.config.publicUrl,
    WEBHOOK_URL: chosen?.url,
    WEBHOOK_ID: chosen?.id,
  }
  const context = {
    url,
    now,
    brand: services.brand,
    csrfToken: caller?.session.csrfToken,
    appearance: findAppearance(undefined),
    personMark: undefined,
    may: () => false,
    unreadNotices: 0,
    refused: undefined,
  }
  const above = (
    <PageContext.Provider value={context}>
      <OwnEndpoint endpoints={endpoints} chosen={chosen} />
      {isWaiting && (
        <noscript>
          <p>
            <a class="standalone" href={url}>
              Check again
            </a>
          </p>
        </noscript>
      )}
    </PageContext.Provider>
  )
  const html = withOwnValues(services.brand.renameHtml(guide.html), values)
  const page = {
    ...guidePage(path, { ...guide, html }, { above, liveMs: chosen ? undefined : searchMs }),
    head: <script type="module" src={script.url} nonce={received.nonce} />,
  }
  return highlightCode(renderDocsPage(page, site, services.brand, { nonce: received.nonce }))
}

/** The reader's endpoint. While there is none, a script loads this part and the commands again. */
const OwnEndpoint = ({
  endpoints,
  chosen,
}: {
  endpoints: readonly WebhookRecord[]
  chosen: WebhookRecord | undefined
}) => (
  <section class="own" aria-labelledby="own-title">
    <h2 id="own-title">Your endpoint</h2>
    <div id="own-endpoint" data-live={chosen ? undefined : searchMs}>
      {chosen ? (
        <>
          <p>
            <a class="standalone" href={`/webhooks/${chosen.id}`}>
              {chosen.description ?? chosen.url}
            </a>
          </p>
          <div aria-live="polite">
            <div
              id="first-event"
              data-live={isWaitingForFirst(chosen) ? firstEventUpdateMs : undefined}
            >
              <FirstEvent webhook={chosen} isKept />
            </div>
          </div>
          {!chosen.enabled && <p>It is disabled, so its deliveries wait until you enable it.</p>}
          <p>
            You can skip <a href="#create-an-endpoint">Create an endpoint</a>: the commands below
            contain its URL and id. Its signing secret is shown only once. If you do not have it,{' '}
            <a href={`/webhooks/${chosen.id}/rotate`}>rotate it</a>.
          </p>
          <OtherEndpoints endpoints={endpoints.filter(({ id }) => id !== chosen.id)} />
        </>
      ) : (
        <p>
          You have no endpoint yet. <a href="/webhooks/new">Create one in the panel</a>, or follow
          the steps below. It appears here.
        </p>
      )}
    </div>
  </section>
)

const OtherEndpoints = ({ endpoints }: { endpoints: readonly WebhookRecord[] }) =>
  endpoints.length > 0 && (
    <details>
      <summary>Use another endpoint</summary>
      <ul class="links">
        {endpoints.map(({ id, url, description }) => (
          <li key={id}>
            <a href={`?webhook_id=${id}`}>{description ?? url}</a>
          </li>
        ))}
      </ul>
    </details>
  )

/** Sets variables that the commands of a guide export. Never a secret: `WEBHOOK_SECRET` and `HCTL_TOKEN` stay as they are. */
export const withOwnValues = (
  html: string,
  values: Readonly<Record<string, string | undefined>>,
): string =>
  Object.entries(values).reduce(
    (text, [name, value]) =>
      value === undefined
        ? text
        : text.replaceAll(
            new RegExp(`(?<=^|\\n|>)export ${name}=[^\\n<]*`, 'g'),
            () => `export ${name}=${escapeHtml(quoteForShell(value))}`,
          ),
    html,
  )

const quoteForShell = (text: string): string =>
  /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
