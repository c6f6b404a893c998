import { notFound, Problem } from '@hosting/core/problems'
import express, { Router, type Express, type RequestHandler } from 'express'
import { type Logger, requestIdOf, withLogFields } from '@hosting/process'
import { respondWithProblems } from './problem-document.ts'
import type { ErrorFormat, Method, Route } from '../routes/route.ts'
import { answerInTime } from './response-time.ts'
import { serve, type Serving } from './serve.ts'

/** Creates an Express app with the common settings. Call {@link mountEnd} last. */
export function createApp(): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', 'simple')
  app.use(nameRequest)
  return app
}

/**
 * Mounts a table of routes. Refuses other methods of their paths with 405. Each first path segment has its own router,
 * so that few paths are matched per request.
 */
export function mountRoutes<Caller>(
  app: Express,
  base: string,
  routes: readonly Route<Caller>[],
  serving: Serving<Caller>,
): void {
  const groups = Map.groupBy(routes, ({ path }) => segmentOf(path))
  const routers = new Map(
    [...groups].map(([segment, group]) => [segment, routerOf(group, serving)] as const),
  )
  app.use(base, (req, res, next) => {
    const router = routers.get(segmentOf(req.url))
    if (router) router(req, res, next)
    else next()
  })
}

/** The first segment of a path, which may have a query. */
const segmentOf = (path: string): string => /^\/([^/?]*)/.exec(path)?.[1] ?? ''

function routerOf<Caller>(routes: readonly Route<Caller>[], serving: Serving<Caller>): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const paths = Map.groupBy(routes.toSorted(byStaticFirst), ({ path }) => path)
  for (const [path, ofPath] of paths) {
    const resource = router.route(path)
    const format = ofPath.find(({ errorFormat }) => errorFormat === 'oauth')?.errorFormat
    if (format) resource.all(useErrorFormat(format))
    for (const route of ofPath) resource[expressMethod(route.method)](serve(route, serving))
    const allowed = ofPath.map(({ method }) => method)
    resource.all(async (req, res) => {
      const { beforeUnserved, services } = serving
      await answerInTime({ log: services.log, req }, async () => beforeUnserved?.(req, res))
      throw methodNotAllowed(req.method, allowed)
    })
  }
  return router
}

/** Gives every error of the requests a format, including the errors of requests that no route serves. */
export const useErrorFormat =
  (errorFormat: ErrorFormat): RequestHandler =>
  (_req, res, next) => {
    Object.assign(res.locals, { errorFormat })
    next()
  }

/** Completes an app: responds 404 to unmatched requests and converts errors to problem documents. */
export function mountEnd(app: Express, log: Logger): void {
  app.use(() => {
    throw notFound()
  })
  app.use(respondWithProblems(log))
}

/** The 405 of a path, with the methods that it allows. */
export function methodNotAllowed(method: string, allowed: readonly Method[]): Problem {
  const names = allowed.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
  return new Problem('method_not_allowed', {
    facts: { method },
    headers: { Allow: names.join(', ') },
  })
}

const expressMethod = (method: Method) =>
  method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Sorts `/webhooks/event-types` before `/webhooks/:id`. */
const byStaticFirst = (a: Route<never>, b: Route<never>): number =>
  a.path.split(':').length - b.path.split(':').length

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in the response, the logs and the audit log. */
    id: string
  }
}

/** Sets the id of every request, in its response and in each of its log lines. */
const nameRequest: RequestHandler = (req, res, next) => {
  req.id = requestIdOf(req)
  res.setHeader('X-Request-Id', req.id)
  withLogFields({ requestId: req.id }, next)
}
