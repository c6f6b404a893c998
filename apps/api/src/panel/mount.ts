import { currentTime } from '@hosting/core/clock'
import { notFound } from '@hosting/core/problems'
import {
  Router,
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { randomBytes } from 'node:crypto'
import { serveAssets } from '../assets.ts'
import { methodNotAllowed } from '../api/http/mount.ts'
import { answerInTime } from '../api/http/answer-in-time.ts'
import { toProblem } from '../api/http/problem-document.ts'
import type { Services } from '../api/services.ts'
import { SubmittedForm } from './form.ts'
import type { Page } from './page.ts'
import { pages } from './pages.ts'
import { errorView } from './pages/error.tsx'
import { receive, type PanelServing, type ReceivedRequest } from './receive.ts'
import { send } from './send.ts'
import { servePage } from './serve.ts'

/** Mounts the panel: its pages, their assets, and an error page for browser requests that fail. */
export function mountPanel(app: Express, services: Services): void {
  const serving = { services, toReturnPath: returnPathFinder(pages) }
  const router = Router({ caseSensitive: true, strict: true })
  router.get('/assets/:name', serveAssets([services.brand.logo, services.brand.style]))
  for (const page of pages) {
    const route = router.route(page.path).get(servePage(page, serving))
    if (page.actions) route.post(servePage(page, serving))
    route.all((req) => {
      throw methodNotAllowed(req.method, page.actions ? ['GET', 'POST'] : ['GET'])
    })
  }
  router.use(handleUnknownPath)
  router.use(showError(serving))
  app.use(router)
}

/** Responds to unknown paths: an error page for browsers, a problem document for programs. */
const handleUnknownPath: RequestHandler = (req, _res, next) => {
  const asksForPage = req.get('accept')?.includes('text/html') ?? false
  next(asksForPage && !req.path.startsWith('/api/') ? notFound() : undefined)
}

function showError(serving: PanelServing): ErrorRequestHandler {
  return async (error, req, res, next) => {
    if (res.headersSent) {
      next(error)
      return
    }
    const { services } = serving
    const problem = toProblem(error, req, services.log)
    const received =
      (res.locals['received'] as ReceivedRequest | undefined) ??
      // The session could not be read, and the time for the response may be over.
      (problem.status === 503
        ? anonymousRequest(serving)
        : await receiveForError(services, req, res))
    for (const [name, value] of Object.entries(problem.headers)) res.setHeader(name, value)
    res.statusCode = problem.status
    const view = errorView(problem, { requestId: req.id, url: req.originalUrl })
    send(req, res, { view, received, services })
  }

  /** If the session lookup fails, for example because the database is down, still renders the original error. */
  async function receiveForError(
    { log }: Services,
    req: Request,
    res: Response,
  ): Promise<ReceivedRequest> {
    try {
      return await answerInTime({ log, req }, () => receive(serving, { req, res }), lookupMsMax)
    } catch {
      return anonymousRequest(serving)
    }
  }
}

/** How long the error page waits for the session, in ms. */
const lookupMsMax = 1_000

const anonymousRequest = ({ services }: PanelServing): ReceivedRequest => ({
  nonce: randomBytes(16).toString('base64'),
  unreadNotices: 0,
  pageRequest: {
    params: {},
    query: {},
    rawQuery: '',
    form: new SubmittedForm(),
    ip: '',
    signInContext: { ip: '', userAgent: '', requestId: '', cookie: undefined },
    refused: undefined,
    caller: undefined,
    services,
    now: currentTime(),
    next: '/',
    flashSecret: undefined,
    call: () => Promise.reject(notFound()),
  },
})

/**
 * Returns a function that validates return paths after sign-in. A return path is the path of a page for
 * signed-in people, with its query. Anything else, above all another site, becomes the overview.
 */
export function returnPathFinder(of: readonly Page[]): PanelServing['toReturnPath'] {
  const patterns = of
    .filter(({ access }) => access !== 'anyone')
    .filter(({ path }) => path !== '/confirm' && path !== '/sign-out')
    .map(({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[\\w-]+')}$`))
  return (text) => {
    if (!text?.startsWith('/') || text.startsWith('//') || /[\\\s]/.test(text)) return '/'
    if (!URL.canParse(text, base)) return '/'
    const { origin, pathname, search } = new URL(text, base)
    const isPage = origin === base && patterns.some((pattern) => pattern.test(pathname))
    return isPage ? `${pathname}${search}` : '/'
  }
}

const base = 'http://panel.invalid'
