import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { ExpressAdapter } from '@bull-board/express'
import { boardPath } from '@hosting/html/operators'
import { pageHeaders } from '@hosting/process'
import type { QueueReader } from '@hosting/redis'
import { Router, type Express, type RequestHandler } from 'express'

/** The content security policy of Bull Board: it loads its own scripts, which also set styles of elements. */
const boardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'self'",
].join('; ')

const uiConfig = {
  boardTitle: 'Queues',
  miscLinks: [
    { text: 'Operations', url: '/operations' },
    { text: 'Runbook', url: '/operations/runbook' },
  ],
  hideDocsLink: true,
  // Do not expose the addresses of Redis and the workers.
  hideRedisDetails: true,
  showWorkers: false,
}

/**
 * Bull Board shows the jobs in Redis. Its buttons would change jobs without PostgreSQL, so every
 * queue is read-only, and the guard refuses all methods but GET and HEAD. While Redis is
 * unavailable, it responds with 503.
 *
 * @param isRedisThere - whether Redis is connected.
 */
export function queueBoard(reader: QueueReader, isRedisThere: () => boolean): Router {
  const adapter = new SelfContainedAdapter().setBasePath(boardPath)
  const board = createBullBoard({
    queues: [],
    serverAdapter: adapter,
    options: { uiConfig },
  })
  adapter.setErrorHandler(toRefusal)
  const pages = adapter.getRouter() as Express
  const router = Router()
  router.use(setBoardHeaders)
  router.use((req, res, next) => {
    if (!isRedisThere() || reader.queues.length === 0) {
      res.status(503)
      if (req.path.startsWith('/api/')) res.json(refusal('Redis is down.'))
      else res.type('text').send('Redis is down, so there are no queues to show.\n')
      return
    }
    // There are no queues until the first connection to Redis.
    board.replaceQueues(reader.queues.map(readOnly))
    next()
  })
  router.use(pages.disable('x-powered-by'))
  return router
}

const setBoardHeaders: RequestHandler = (_req, res, next) => {
  for (const [name, value] of pageHeaders) res.setHeader(name, value)
  res.setHeader('Content-Security-Policy', boardPolicy)
  next()
}

const readOnly = (queue: QueueReader['queues'][number]): BullMQAdapter =>
  new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false })

const refusal = (message: string) => ({
  error: { key: 'ERRORS.INTERNAL_SERVER_ERROR' as const },
  message,
})

/** Error messages of a driver belong in the log. */
function toRefusal(error: Error) {
  const isOurs = !('statusCode' in error)
  return isOurs
    ? { status: 500 as const, body: refusal('Redis did not respond.') }
    : { status: 400 as const, body: refusal('This request is not supported.') }
}

type EntryRoute = Parameters<ExpressAdapter['setEntryRoute']>[0]

/** Serves Bull Board's page without external resources and inline styles. */
class SelfContainedAdapter extends ExpressAdapter {
  override setBasePath(path: string): this {
    super.setBasePath(path)
    return this
  }

  override setEntryRoute({ route, handler }: EntryRoute): this {
    this.app.get(route, (_req, res, next) => {
      const { name, params } = handler({ basePath: this.basePath, uiConfig: this.uiConfig })
      this.app.render(name, params, (error, html) => {
        if (error) next(error)
        else res.send(toSelfContained(html))
      })
    })
    return this
  }
}

const toSelfContained = (html: string): string =>
  html
    .replaceAll(/<link href="https?:[^>]*>/g, '')
    .replace(/<div id="root">.*<\/style>\s*<\/div>/s, '<div id="root"></div>')
