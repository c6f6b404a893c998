import { usageError } from './exit-codes.ts'

/** Normalizes the URL of a service to its origin and base path, for storing and comparing. */
export function toServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || hasPassword(url) || url.search || url.hash) {
    throw usageError(
      'server',
      `${shownUrl(text)} is not the URL of a service, such as https://host.`,
      text.includes('@') ? 'The service takes no user name and password in its URL.' : undefined,
    )
  }
  return `${url.origin}${url.pathname.replace(/(\/api\/v1)?\/*$/, '')}`
}

const hasPassword = ({ username, password }: URL): boolean => Boolean(username || password)

/** A URL as it may be shown: without a user name and password, even if it cannot be parsed, and without a query. */
export const shownUrl = (text: string): string =>
  text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@').replace(/\?.*/s, '?…')

/** Whether requests to the server cross a network without TLS. */
export function isCleartext(server: string): boolean {
  const url = new URL(server)
  return url.protocol === 'http:' && !isLoopback(url)
}

/** Whether the URL points to this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
