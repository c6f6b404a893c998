import type { Request, Response } from 'express'
import { isHttps } from '../api/access/session.ts'
import type { ResponseHeaders } from '../api/response.ts'
import type { Services } from '../api/services.ts'
import { formatCookie } from './cookies.ts'

/** Redirects to a page that returns to this one afterwards. */
export const redirectVia = (path: '/sign-in' | '/confirm', req: Request, res: Response): void =>
  redirect(res, `${path}?${new URLSearchParams({ next: req.originalUrl })}`)

/** Redirects the browser to another page. */
export function redirect(res: Response, to: string): void {
  res.statusCode = 303
  res.setHeader('Location', to)
  res.end()
}

/** Sets one of the panel's cookies; 0 seconds deletes it. */
export function setCookie(
  res: Response,
  services: Services,
  { name, value, path, seconds }: { name: string; value: string; path: string; seconds: number },
): void {
  res.append('Set-Cookie', formatCookie(name, value, { isHttps: isHttps(services), path, seconds }))
}

/** Sets headers. Cookies are appended, since a page may set several. */
export function appendHeaders(res: Response, headers: ResponseHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === 'set-cookie') res.append(name, [value].flat())
    else res.setHeader(name, value)
  }
}
