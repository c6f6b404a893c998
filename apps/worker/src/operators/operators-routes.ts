import { brandStyleSheet, createRenamer } from '@hosting/core/branding'
import { type Config } from '@hosting/core/configuration'
import {
  articleStyle,
  createAsset,
  escapeHtml,
  readStyle,
  sendAsset,
  sendPage,
  type PagePolicy,
} from '@hosting/html'
import type { Readiness } from '@hosting/process'
import { Router, type RequestHandler, type Response } from 'express'
import { hostname } from 'node:os'
import type { Services } from '../services.ts'
import { requireOpsToken } from './basic-auth.ts'
import { createSnapshotReader, type OpsSnapshot } from './snapshot.ts'
import { boardPath } from './operators-paths.ts'
import type { queueBoard } from './queue-board.ts'
import { refuseChanges } from './refuse-changes.ts'
import { runbookPath } from './runbook.ts'
import { renderPage, type OperatorsAppearance, type OperatorsPage } from './view/document.tsx'
import { operationsPage } from './view/operations-page.tsx'
import { createRunbookPage } from './view/runbook-page.tsx'

const refreshSeconds = 10

/** The operators' pages run no scripts, and load only their styles. */
const policy: PagePolicy = { loads: ["style-src 'self'", 'img-src data:'], formAction: "'none'" }

/** The worker that serves the page. There may be several. */
const worker = { host: hostname(), pid: process.pid }

const style = readStyle(
  '/operations/operators.css',
  articleStyle,
  new URL('../../assets/operators.css', import.meta.url),
)

/**
 * The pages for operators: `/operations` with the runbook, and Bull Board at `/queues`
 * (docs/specification/operations.md#operators-pages). They require `OPS_TOKEN` and are read-only.
 * Without the setting they do not exist.
 */
export function operatorsRoutes(services: Services, readiness: Readiness): Router {
  const router = Router()
  const { config, queueReader, attempts } = services
  if (!config.opsToken || !queueReader) return router
  const guard = [requireOpsToken(config.opsToken.reveal()), refuseChanges]
  router.all('/', guard)
  router.use(['/operations', boardPath], guard)
  router.get('/', (_req, res) => res.redirect('/operations'))
  const appearance = appearanceOf(config)
  const send = (res: Response, page: OperatorsPage): void =>
    sendPage(res, renderPage(page, appearance), policy)
  const readSnapshot = createSnapshotReader(services, queueReader, readiness)
  router.get('/operations', showOperations(readSnapshot, send))
  const runbookPage = createRunbookPage(createRenamer(config, escapeHtml))
  router.get(runbookPath, (_req, res) => send(res, runbookPage))
  for (const asset of [style, style.font, ...style.others, appearance.brandStyle]) {
    if (asset) router.get(asset.url, (_req, res) => sendAsset(res, asset))
  }
  router.use(
    boardPath,
    loadBoard(queueReader, () => attempts.isReady()),
  )
  return router
}

/** Loads Bull Board with the first request for it: most workers are never asked, and it takes several MB. */
function loadBoard(...options: Parameters<typeof queueBoard>): RequestHandler {
  let board: Promise<Router> | undefined
  return async (req, res, next) => {
    board ??= import('./queue-board.ts').then(({ queueBoard }) => queueBoard(...options))
    const serve = await board
    serve(req, res, next)
  }
}

const appearanceOf = ({ brandName, brandColor }: Config): OperatorsAppearance => ({
  brandName,
  style,
  brandStyle:
    brandColor === undefined
      ? undefined
      : createAsset('/operations/brand.css', Buffer.from(brandStyleSheet(brandColor))),
})

const showOperations =
  (
    read: () => Promise<OpsSnapshot>,
    send: (res: Response, page: OperatorsPage) => void,
  ): RequestHandler =>
  async (req, res) => {
    const seconds = req.query['refresh'] === 'off' ? undefined : refreshSeconds
    send(res, operationsPage(await read(), { worker, refreshSeconds: seconds }))
  }
