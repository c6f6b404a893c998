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
import type { EndpointRecord } from '../api/schemas/endpoint.ts'
import { listEndpointsRoute } from '../api/routes/webhooks.ts'
import { answerInTime } from '../api/http/answer-in-time.ts'
import type { Services } from '../api/services.ts'
import { guidePage } from './guides.tsx'
import { highlightCode } from '../highlight.ts'
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
  readonly endpoints: readonly EndpointRecord[]
}

/** Finds the reader. Everyone else, and everyone while the database cannot be reached, gets the public page. */
async function findReader(
  services: Services,
  req: Request,
  res: Response,
): Promise<Reader | undefined> {
  try {
    const serving = { services, toReturnPath: () => '/' }
    const find = async (): Promise<Reader | undefined> => {
      const received = await receive(serving, { req, res })
      if (!received.pageRequest.caller) return undefined
      const { items } = await received.pageRequest.call(listEndpointsRoute)
      return { received, endpoints: items }
    }
    return await answerInTime({ log: services.log, req }, find, findMsMax)
  } catch (error) {
    if (!(error instanceof Problem)) services.log.warn({ err: error }, 'a reader was not found')
    return undefined
  }
}

/** How long the public page waits for the reader, in ms. */
const findMsMax = 5_000

/** After how many ms a page without an endpoint is loaded again. */
const searchMs = 5_000

interface OwnPage extends Reader {
  readonly url: string
}

function renderOwnPage({ services, site, path, guide }: Quickstart, own: OwnPage): string {
  const { url, endpoints, received } = own
  const { now, caller, query } = received.pageRequest
  const chosen = endpoints.find(({ id }) => id === query['webhook_id'])
  // Never another endpoint: the commands would send test events to a program that somebody uses.
  const tested = chosen && isWaitingForFirst(chosen) ? chosen : undefined
  const values = {
    HCTL_URL: services.config.publicUrl,
    WEBHOOK_URL: tested?.url,
    WEBHOOK_ID: tested?.id,
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
    offersPasskeys: false,
    refused: undefined,
  }
  const above = (
    <PageContext.Provider value={context}>
      <OwnEndpoint endpoints={endpoints} chosen={chosen} />
      <noscript>
        <p>
          <a class="standalone" href={url}>
            Check again
          </a>
        </p>
      </noscript>
    </PageContext.Provider>
  )
  const html = withOwnValues(services.brand.renameHtml(guide.html), values)
  const page = {
    ...guidePage(path, { ...guide, html }, { above, liveMs: chosen ? undefined : searchMs }),
    head: <script type="module" src={script.url} nonce={received.nonce} />,
  }
  return highlightCode(renderDocsPage(page, site, services.brand, { nonce: received.nonce }))
}

/**
 * The endpoint that the reader chose, or those to choose from. While none is chosen, a script loads this part and the
 * commands again.
 */
const OwnEndpoint = ({
  endpoints,
  chosen,
}: {
  endpoints: readonly EndpointRecord[]
  chosen: EndpointRecord | undefined
}) => (
  <section class="own" aria-labelledby="own-title">
    <h2 id="own-title">Your endpoint</h2>
    <div id="own-endpoint" data-live={chosen ? undefined : searchMs}>
      {chosen ? (
        <>
          <p>
            <a class="standalone" href={`/webhooks/${chosen.id}`}>
              {nameOf(chosen)}
            </a>
          </p>
          <div aria-live="polite">
            <div
              id="first-event"
              data-live={isWaitingForFirst(chosen) ? firstEventUpdateMs : undefined}
            >
              <FirstEvent endpoint={chosen} isKept />
            </div>
          </div>
          {!chosen.enabled && <p>It is disabled, so its deliveries wait until you enable it.</p>}
          {isWaitingForFirst(chosen) && (
            <p>
              You can skip <a href="#create-an-endpoint">Create an endpoint</a>: the commands below
              contain its URL and id. Its signing secret was shown when it was created.
            </p>
          )}
        </>
      ) : (
        <EndpointChoice endpoints={endpoints.filter(isWaitingForFirst)} />
      )}
    </div>
  </section>
)

/** The endpoints that have not received an event yet: no other one is offered for a test. */
const EndpointChoice = ({ endpoints }: { endpoints: readonly EndpointRecord[] }) =>
  endpoints.length === 0 ? (
    <p>
      No endpoint waits for its first event. <a href="/webhooks/new">Create one in the panel</a>, or
      follow the steps below. It appears here.
    </p>
  ) : (
    <>
      <p>
        Choose the endpoint that you are testing, and the commands below contain its URL and id.
      </p>
      <ul class="links">
        {endpoints.map((endpoint) => (
          <li key={endpoint.id}>
            <a href={`?webhook_id=${endpoint.id}`}>{nameOf(endpoint)}</a>
          </li>
        ))}
      </ul>
    </>
  )

const nameOf = ({ description, url }: EndpointRecord): string => description ?? url

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
