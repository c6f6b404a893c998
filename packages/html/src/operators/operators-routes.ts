import { brandStyleSheet, createRenamer } from '@hosting/core/branding'
import type { Config } from '@hosting/core/configuration'
import type { SampledProcess } from '@hosting/postgres/operators'
import type { Readiness } from '@hosting/process'
import { Router, type RequestHandler, type Response } from 'express'
import {
  articleStyle,
  createAsset,
  escapeHtml,
  readStyle,
  sendAsset,
  sendPage,
  type PagePolicy,
} from '../index.ts'
import { createSnapshotReader, type OpsSnapshot, type SnapshotSources } from './snapshot.ts'
import {
  createRunbookPage,
  boardPath,
  renderOperatorsPage,
  type OperatorsAppearance,
  type OperatorsPage,
} from './view/document.tsx'
import { runbookPath } from './runbook.ts'
import { operationsPage } from './view/operations-page.tsx'
import { createHash, timingSafeEqual } from 'node:crypto'

const refreshSeconds = 10

/** The operators' pages run no scripts, and load only their styles. */
const policy: PagePolicy = { loads: ["style-src 'self'", 'img-src data:'], formAction: "'none'" }

const style = readStyle(
  '/operations/operators.css',
  articleStyle,
  ...['operators', 'operators-history'].map(
    (name) => new URL(`../../assets/${name}.css`, import.meta.url),
  ),
)

/** What the pages need of the process that serves them. */
export interface OperatorsServices extends SnapshotSources {
  readonly config: Config
  /** The process that serves the pages. There may be several. */
  readonly process: SampledProcess
}

/** What a worker shows in addition. */
export type WorkerOfOperators = NonNullable<SnapshotSources['worker']>

/**
 * The pages for operators: `/operations` with the runbook, and on workers Bull Board at `/queues`
 * (docs/specification/operations.md#operators-pages). They require `OPS_TOKEN` and are read-only.
 * Without the setting they do not exist.
 *
 * @param board - serves Bull Board.
 */
export function operatorsRoutes(
  services: OperatorsServices,
  readiness: Readiness,
  board?: RequestHandler,
): Router {
  const router = Router()
  const { config } = services
  if (!config.opsToken) return router
  const guard = [requireOpsToken(config.opsToken.reveal()), refuseChanges]
  router.use(board ? ['/operations', boardPath] : ['/operations'], guard)
  const appearance = { ...appearanceOf(config), hasBoard: board !== undefined }
  const send = (res: Response, page: OperatorsPage): void =>
    sendPage(res, renderOperatorsPage(page, appearance), policy)
  const show = showOperations(services, createSnapshotReader(services, readiness), send)
  router.get('/operations', show)
  const runbookPage = createRunbookPage(createRenamer(config, escapeHtml))
  router.get(runbookPath, (_req, res) => send(res, runbookPage))
  for (const asset of [style, style.font, ...style.others, appearance.brandStyle]) {
    if (asset) router.get(asset.url, (_req, res) => sendAsset(res, asset))
  }
  if (board) {
    router.all('/', guard)
    router.get('/', (_req, res) => res.redirect('/operations'))
    router.use(boardPath, board)
  }
  return router
}

const appearanceOf = ({
  brandName,
  brandColor,
}: Config): Omit<OperatorsAppearance, 'hasBoard'> => ({
  brandName,
  style,
  brandStyle:
    brandColor === undefined
      ? undefined
      : createAsset('/operations/brand.css', Buffer.from(brandStyleSheet(brandColor))),
})

const showOperations =
  (
    { process }: OperatorsServices,
    read: () => Promise<OpsSnapshot>,
    send: (res: Response, page: OperatorsPage) => void,
  ): RequestHandler =>
  async (req, res) => {
    const seconds = req.query['refresh'] === 'off' ? undefined : refreshSeconds
    send(res, operationsPage(await read(), { process, refreshSeconds: seconds }))
  }

/** Requires the token as the password of HTTP Basic, with any user name (RFC 7617). */
function requireOpsToken(token: string): RequestHandler {
  const expected = hash(token)
  return (req, res, next) => {
    const password = passwordOf(req.get('authorization'))
    // Hashes have the same length, so the time of the comparison reveals nothing.
    if (password !== undefined && timingSafeEqual(hash(password), expected)) {
      next()
      return
    }
    res.setHeader('WWW-Authenticate', 'Basic realm="operations", charset="UTF-8"')
    res.status(401).type('text').send('These pages need OPS_TOKEN as the password.\n')
  }
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

function passwordOf(header = ''): string | undefined {
  const encoded = /^Basic +([\w+/-]+=*) *$/i.exec(header)?.[1]
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon === -1 ? undefined : pair.slice(colon + 1)
}

/** Refuses requests that could change something. */
const refuseChanges: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') {
    next()
    return
  }
  res.setHeader('Allow', 'GET, HEAD')
  res.status(405).type('text').send('These pages are read-only.\n')
}
