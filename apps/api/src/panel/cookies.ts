/** What a cookie of the panel is set with, besides its name and value. */
interface CookieOptions {
  readonly isHttps: boolean
  readonly path: string
  /** 0 takes the cookie away. */
  readonly seconds: number
}

/** The value of `Set-Cookie` for one of the panel's small cookies. */
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

/** A cookie's value in the header `Cookie`. */
export const findCookie = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
