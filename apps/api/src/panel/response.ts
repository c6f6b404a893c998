import type { Request, Response } from 'express'
import { isHttps } from '../http/session.ts'
import type { AnswerHeaders } from '../http/route.ts'
import type { Services } from '../services.ts'
import { formatCookie } from './cookies.ts'

/** Leads to a page that leads back to this one. */
export const redirectVia = (path: '/sign-in' | '/confirm', req: Request, res: Response): void =>
  redirect(res, `${path}?${new URLSearchParams({ next: req.originalUrl })}`)

/** Leads the browser to another page. */
export function redirect(res: Response, to: string): void {
  res.statusCode = 303
  res.setHeader('Location', to)
  res.end()
}

/** Sets one of the panel's small cookies; with 0 seconds it is taken away. */
export function setCookie(
  res: Response,
  services: Services,
  { name, value, path, seconds }: { name: string; value: string; path: string; seconds: number },
): void {
  res.append('Set-Cookie', formatCookie(name, value, { isHttps: isHttps(services), path, seconds }))
}

/** Sets headers; a page may set several cookies. */
export function setHeaders(res: Response, headers: AnswerHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === 'set-cookie') res.append(name, [value].flat())
    else res.setHeader(name, value)
  }
}
