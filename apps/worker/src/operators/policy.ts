import type { RequestHandler } from 'express'

/** The operators' pages run nothing, and load their style alone. */
export const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
]

/** The headers of everything that only operators see: no other site frames it, hears of it or keeps it. */
export const setHeaders =
  (policy: readonly string[]): RequestHandler =>
  (_req, res, next) => {
    res.setHeader('Content-Security-Policy', policy.join('; '))
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('Referrer-Policy', 'no-referrer')
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    res.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.setHeader('X-Frame-Options', 'DENY')
    res.setHeader('X-Robots-Tag', 'noindex')
    next()
  }

/** Refuses every request that could change something. */
export const refuseChanges: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') {
    next()
    return
  }
  res.setHeader('Allow', 'GET, HEAD')
  res.status(405).type('text').send('These pages are for looking alone.\n')
}
