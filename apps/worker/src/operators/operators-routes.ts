import { articleStyle, readStyle, sendAsset, sendPage, type PagePolicy } from '@hosting/html'
import type { Readiness } from '@hosting/process'
import { Router, type RequestHandler, type Response } from 'express'
import { hostname } from 'node:os'
import type { Services } from '../services.ts'
import { requireOpsToken } from './basic-auth.ts'
import { createSnapshotReader, type OpsSnapshot } from './snapshot.ts'
import { boardPath, queueBoard } from './queue-board.ts'
import { refuseChanges } from './refuse-changes.ts'
import { runbookPath } from './runbook.ts'
import { renderPage, type OperatorsPage } from './view/document.tsx'
import { operationsPage } from './view/operations-page.tsx'
import { runbookPage } from './view/runbook-page.tsx'

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
  router.get('/operations', showOperations(createSnapshotReader(services, queueReader, readiness)))
  router.get(runbookPath, (_req, res) => send(res, runbookPage))
  router.get(style.url, (_req, res) => sendAsset(res, style))
  router.use(
    boardPath,
    queueBoard(queueReader, () => attempts.isReady()),
  )
  return router
}

const showOperations =
  (look: () => Promise<OpsSnapshot>): RequestHandler =>
  async (req, res) => {
    const seconds = req.query['refresh'] === 'off' ? undefined : refreshSeconds
    send(res, operationsPage(await look(), { worker, refreshSeconds: seconds }))
  }

const send = (res: Response, page: OperatorsPage): void =>
  sendPage(res, renderPage(page, style), policy)
