import type { Response } from 'express'

/**
 * The headers of every page. Nothing runs but the one script, which carries the nonce, and it makes no HTML
 * (Trusted Types without a policy); no other site frames the page, hears of its address or keeps it.
 */
export function setPageHeaders(
  res: Response,
  { nonce, isHttps }: { nonce: string; isHttps: boolean },
): void {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Security-Policy', policy.join('; '))
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('X-Frame-Options', 'DENY')
  res.setHeader('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=()')
  if (isHttps) res.setHeader('Strict-Transport-Security', 'max-age=31536000')
}
