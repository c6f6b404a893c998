import { exampleUrl } from '@hosting/core/branding'
import { publicUrlOf } from '@hosting/core/configuration'
import { notFound } from '@hosting/core/problems'
import { healthRoutes, type Liveness } from '@hosting/process'
import type { Express, Request, RequestHandler, Response } from 'express'
import { readFileSync } from 'node:fs'
import { serveAssets } from './assets.ts'
import type { Brand } from './brand.ts'
import { createPublicAuthenticator } from './http/authenticate.ts'
import { chargeUnserved } from './http/charge-unserved.ts'
import { createApp, methodNotAllowed, mountEnd, mountRoutes } from './http/mount.ts'
import { observeRequests } from './http/observe.ts'
import { traceRequests } from './http/trace-requests.ts'
import { createInternalAuthenticator } from './internal/authenticate.ts'
import { internalBase, internalRoutes } from './internal/index.ts'
import { internalApiDocument, openApiDocument } from './openapi/document.ts'
import { changelogFeed } from './docs/changelog-feed.ts'
import { createCustomerSite } from './docs/customer-site.tsx'
import { ownExamplesPath, serveOwnExamples } from './docs/own-examples.ts'
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
import { publicBase, publicRoutes } from './routes/index.ts'
import type { Services } from './services.ts'

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
  const beforeUnserved = (req: Request, res: Response) => chargeUnserved(services, req, res)
  mountRoutes(app, publicBase, publicRoutes, {
    services,
    authenticator: createPublicAuthenticator(services),
    bodyBytesMax: publicBodyBytesMax,
    beforeUnserved,
  })
  mountPages(app, {
    '/docs/webhooks/vectors.json': serveFile({
      type: 'application/json',
      make: () => readFileSync(siteFile('vectors.json')),
    }),
    ...siteHandlers(site, { brand, origin: exampleUrl }),
    ...quickstartHandlers(services, site),
    [ownExamplesPath]: serveOwnExamples(services, site),
    '/docs/changelog.atom': serveText('application/atom+xml; charset=utf-8', () =>
      brand.renameHtml(changelogFeed(readGuides('customers')['/docs/changelog']!)),
    ),
    ...downloadHandlers(brand, publicUrl),
    ...wellKnownHandlers(config),
    [`${publicBase}/openapi.json`]: openApiFile(() => openApiDocument(publicRoutes), brand),
  })
  app.use(publicBase, async (req, res) => {
    await beforeUnserved(req, res)
    throw notFound()
  })
  mountPanel(app, services)
  mountEnd(app, services.log)
  return app
}

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
): Express {
  const app = createApp()
  traceRequests(app, services, 'internal')
  observeRequests(app, services)
  for (const path of ['/metrics', '/healthz', '/readyz']) app.all(path, refuseOtherThanGet)
  app.use(healthRoutes(services.metrics.registry, () => checkReadiness(services), liveness))
  mountRoutes(app, internalBase, internalRoutes, {
    services,
    authenticator: createInternalAuthenticator(services.config.internalTokens),
    bodyBytesMax: internalBodyBytesMax,
  })
  mountPages(app, {
    ...siteHandlers(
      createPlatformSite(internalReferencePage(internalRoutes, { base: internalBase })),
      { brand: services.brand, origin: '' },
    ),
    ...internalDownloadHandlers(),
    [`${internalBase}/openapi.json`]: openApiFile(
      () => internalApiDocument(internalRoutes, internalBase),
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

/** Serves pages by their exact paths. A map finds them, because the panel's requests pass them all. */
function mountPages(app: Express, pages: Readonly<Record<string, RequestHandler>>): void {
  const handlers = new Map(Object.entries(pages))
  app.use((req, res, next) => {
    const show = handlers.get(req.path)
    if (!show) {
      next()
      return
    }
    refuseOtherThanGet(req, res, () => show(req, res, next))
  })
}

const refuseOtherThanGet: RequestHandler = (req, _res, next) => {
  if (req.method !== 'GET' && req.method !== 'HEAD') throw methodNotAllowed(req.method, ['GET'])
  next()
}

const openApiFile = (makeDocument: () => object, { renameJson }: Brand): RequestHandler =>
  serveText('application/json', () => renameJson(JSON.stringify(makeDocument())))
