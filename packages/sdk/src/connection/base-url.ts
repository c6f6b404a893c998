/**
 * Returns the URL of an API: of its service, with the path of the API.
 *
 * @throws TypeError, whose message does not contain the URL: a password in it would get into logs.
 */
export function parseBaseUrl(text: string, basePath: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl is not an HTTP URL.')
  if (url.username || url.password) {
    throw new TypeError(
      'baseUrl contains a user name or password, which the service does not take.',
    )
  }
  const base = url.href.replace(/\/+$/, '')
  return base.endsWith(basePath) ? base : base + basePath
}
