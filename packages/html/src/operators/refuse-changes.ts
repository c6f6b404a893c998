import type { RequestHandler } from 'express'

/** Refuses requests that could change something. */
export const refuseChanges: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') {
    next()
    return
  }
  res.setHeader('Allow', 'GET, HEAD')
  res.status(405).type('text').send('These pages are read-only.\n')
}
