import { exampleUrl } from '@hosting/core/branding'
import { publicUrlOf } from '@hosting/core/configuration'
import { notFound } from '@hosting/core/problems'
import { operatorsRoutes } from '@hosting/html/operators'
import type { SampledProcess } from '@hosting/postgres/operators'
import { healthRoutes, type Liveness } from '@hosting/process'
import type { Express, Request, RequestHandler, Response } from 'express'
import { readFileSync } from 'node:fs'
import { serveAssets } from './assets.ts'
import type { Brand } from './brand.ts'
import { createPublicAuthenticator } from './api/access/authenticate.ts'
import { answerInTime } from './api/http/answer-in-time.ts'
import { clientAddressOf, chargeUnserved } from './api/http/serve.ts'
import {
  observeRequests,
  traceRequests,
  createApp,
  methodNotAllowed,
  mountEnd,
  mountRoutes,
  useErrorFormat,
} from './api/http/mount.ts'
import { createInternalAuthenticator } from './api/internal/authenticate.ts'
import { internalBase, internalRoutes } from './api/internal/index.ts'
import { internalApiDocument, openApiDocument } from './api/openapi/document.ts'
import { changelogFeed } from './docs/changelog-feed.ts'
import { createCustomerSite } from './docs/customer-site.tsx'
import { downloadHandlers, internalDownloadHandlers, serveFile } from './docs/downloads/serve.ts'
import { createPlatformSite } from './docs/platform-site.ts'
import { quickstartHandlers } from './docs/quickstarts.tsx'
import { internalReferencePage } from './docs/reference.tsx'
import { serveText, siteHandlers } from './docs/serve-site.ts'
import { readGuides, siteFile } from './docs/site.ts'
import { wellKnownHandlers } from './docs/well-known.ts'
import { mountPanel } from './panel/mount.ts'
import { pages as panelPages } from './panel/pages.ts'
import { checkReadiness } from './readiness.ts'
import { publicBase, publicRoutes } from './api/routes/index.ts'
import { oauthBase, oauthRoutes } from './api/routes/oauth.ts'
import type { Services } from './api/services.ts'

const publicBodyBytesMax = 256 * 2 ** 10
const internalBodyBytesMax = 4 * 2 ** 20

/** The public app: the API, its OpenAPI document and documentation pages, and the panel. */
export function createPublicApp(services: Services): Express {
  const { brand, config } = services
  const publicUrl = publicUrlOf(config)
  const site = createCustomerSite(config)
  const app = createApp()
  traceRequests(app, services, 'public')
  observeRequests(app, services)
  const addressOf = (req: Request) => clientAddressOf(services, req)
  const beforeUnserved = (req: Request, res: Response) => chargeUnserved(services, req, res)
  mountRoutes(app, publicBase, publicRoutes, {
    services,
    authenticator: createPublicAuthenticator(services),
    bodyBytesMax: publicBodyBytesMax,
    beforeUnserved,
  })
  app.use(oauthBase, useErrorFormat('oauth'))
  mountRoutes(app, oauthBase, oauthRoutes, {
    services,
    authenticator: createPublicAuthenticator(services),
    bodyBytesMax: publicBodyBytesMax,
  })
  app.use(oauthBase, () => {
    throw notFound()
  })
  app.use(redirectTrailingSlash(['docs', 'downloads']))
  mountPages(app, {
    '/downloads': redirectTo('/docs/sdk'),
    '/docs/webhooks/vectors.json': serveJson('vectors.json'),
    '/docs/hosting.schema.json': serveJson('hosting.schema.json'),
    ...siteHandlers(site, { brand, origin: exampleUrl, addressOf }),
    ...quickstartHandlers(services, site),
    '/docs/changelog.atom': serveText('application/atom+xml; charset=utf-8', () =>
      brand.renameHtml(changelogFeed(readGuides('customers')['/docs/changelog']!)),
    ),
    ...downloadHandlers(brand, publicUrl),
    ...wellKnownHandlers(config),
    [`${publicBase}/openapi.json`]: openApiFile(() => openApiDocument(publicRoutes), brand),
  })
  app.use(publicBase, async (req, res) => {
    await answerInTime({ log: services.log, req }, () => beforeUnserved(req, res))
    throw notFound()
  })
  mountPanel(app, services)
  mountEnd(app, services.log)
  return app
}

const serveJson = (file: string): RequestHandler =>
  serveFile({ type: 'application/json', make: () => readFileSync(siteFile(file)) })

/** The paths of sign-ins by POST that verify a password: the API route and the panel's forms. */
export const signInPaths: ReadonlySet<string> = new Set([
  ...publicRoutes.filter(({ auth }) => auth === 'sign_in').map(({ path }) => publicBase + path),
  ...panelPages
    .filter(({ access, actions, path }) => access === 'anyone' && actions && !path.includes(':'))
    .map(({ path }) => path),
])

/** The app of the internal listener. Only the platform's own services can reach it. */
export function createInternalApp(
  services: Services,
  liveness: Pick<Liveness, 'findReason'>,
  process: SampledProcess,
): Express {
  const app = createApp()
  traceRequests(app, services, 'internal')
  observeRequests(app, services)
  for (const path of ['/metrics', '/healthz', '/readyz']) app.all(path, refuseOtherThanGet)
  app.use(healthRoutes(services.metrics.registry, () => checkReadiness(services), liveness))
  app.use(operatorsRoutes({ ...services, process }, () => checkReadiness(services)))
  mountRoutes(app, internalBase, internalRoutes, {
    services,
    authenticator: createInternalAuthenticator(services.config.internalTokens),
    bodyBytesMax: internalBodyBytesMax,
  })
  app.use(redirectTrailingSlash(['docs', 'downloads']))
  mountPages(app, {
    '/downloads': redirectTo('/docs/integrate'),
    ...siteHandlers(
      createPlatformSite(internalReferencePage(internalRoutes, { base: internalBase })),
      {
        brand: services.brand,
        origin: '',
        addressOf: (req) => clientAddressOf(services, req),
      },
    ),
    ...internalDownloadHandlers(),
    [`${internalBase}/openapi.json`]: openApiFile(
      () =>
        internalApiDocument(
          internalRoutes,
          internalBase,
          services.config.internalPort || undefined,
        ),
      services.brand,
    ),
  })
  app.all(
    '/assets/:name',
    refuseOtherThanGet,
    serveAssets([services.brand.logo, services.brand.style]),
  )
  mountEnd(app, services.log)
  return app
}

/**
 * Redirects `/docs/` to `/docs`, below these folders. The API and the panel have no such second address: there it is 404
 * (docs/specification/requests.md).
 */
function redirectTrailingSlash(folders: readonly string[]): RequestHandler {
  const known = new Set(folders)
  return (req, res, next) => {
    const { path } = req
    const isPage = path.length > 1 && path.endsWith('/') && known.has(path.split('/')[1]!)
    if (!isPage || (req.method !== 'GET' && req.method !== 'HEAD')) {
      next()
      return
    }
    res.redirect(308, path.replace(/\/+$/, '') + req.url.slice(path.length))
  }
}

const redirectTo =
  (path: string): RequestHandler =>
  (_req, res) =>
    res.redirect(302, path)

/** Serves pages by their exact paths. A map finds them, because the panel's requests pass them all. */
function mountPages(app: Express, pages: Readonly<Record<string, RequestHandler>>): void {
  const handlers = new Map(Object.entries(pages))
  app.use((req, res, next) => {
    const show = handlers.get(req.path)
    if (!show) return next()
    requireGet(req)
    // Express catches the rejections of what a handler returns.
    return show(req, res, next)
  })
}

const refuseOtherThanGet: RequestHandler = (req, _res, next) => {
  requireGet(req)
  next()
}

function requireGet({ method }: Request): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, ['GET'])
}

const openApiFile = (makeDocument: () => object, { renameJson }: Brand): RequestHandler =>
  serveText('application/json', () => renameJson(JSON.stringify(makeDocument())))
