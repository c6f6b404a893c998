import type { Request } from 'express'

/** The attributes of one of the panel's cookies. */
interface CookieOptions {
  readonly isHttps: boolean
  readonly path: string
  /** 0 deletes the cookie. */
  readonly seconds: number
}

/** Formats a `Set-Cookie` value for one of the panel's cookies. */
export const formatCookie = (
  name: string,
  value: string,
  { isHttps, path, seconds }: CookieOptions,
): string =>
  [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${seconds}`,
    ...(isHttps ? ['Secure'] : []),
    'HttpOnly',
    'SameSite=Lax',
  ].join('; ')

/** Finds a cookie's value in the `Cookie` header. */
export const findCookie = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

/** Whether `assets/panel/live.js` sends the request, not the person. */
export const isLiveUpdate = (req: Request): boolean => req.get('live-update') !== undefined

/** Finds the cookie of something that is shown once. A live update leaves it to the page. */
export const findPageCookie = (req: Request, name: string): string | undefined =>
  isLiveUpdate(req) ? undefined : findCookie(req.get('cookie'), name)
