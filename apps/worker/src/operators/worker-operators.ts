import { operatorsRoutes } from '@hosting/html/operators'
import type { SampledProcess } from '@hosting/postgres/operators'
import type { Readiness } from '@hosting/process'
import { Router, type RequestHandler } from 'express'
import type { Services } from '../services.ts'
import type { queueBoard } from './queue-board.ts'

/** The pages for operators on a worker, with Bull Board. Without `OPS_TOKEN` they do not exist. */
export function workerOperators(
  services: Services,
  readiness: Readiness,
  process: SampledProcess,
): Router {
  const { queueReader, attempts, auditSealer, mayRewriteAuditLog, mail } = services
  if (!queueReader) return Router()
  const worker = {
    queueReader,
    audit: () => ({ mayRewrite: mayRewriteAuditLog, broken: auditSealer.broken.size }),
    mailFailure: () => mail.failure,
  }
  const board = loadBoard(queueReader, () => attempts.isReady())
  return operatorsRoutes({ ...services, process, worker }, readiness, board)
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
