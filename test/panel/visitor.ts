import request, { type Response } from 'supertest'
import type { TestApi } from '../support/api.ts'
import type { TestSession } from '../support/session.ts'

/** The fields of a form. A field may have several values. */
export type Fields = Readonly<Record<string, string | readonly string[]>>

/** An HTTP client that keeps cookies like a browser and does not follow redirects. */
export interface Visitor {
  get(path: string, headers?: Record<string, string>): Promise<Response>
  /** Submits a form like a page of the panel: from the same origin, with the CSRF token. */
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<Response>
  /** Submits a form and follows the redirect. */
  submit(path: string, fields: Fields): Promise<Response>
  /** Sets a cookie of all pages, for example of another session. */
  hold(name: string, value: string): void
}

/** Creates a client with a session, or signed out. */
export function visitorOf(
  api: Pick<TestApi, 'url'>,
  session?: Pick<TestSession, 'cookie' | 'csrfToken'>,
): Visitor {
  const jar = new Map<string, { value: string; path: string }>()
  if (session) {
    const [name, value] = session.cookie.split('=') as [string, string]
    jar.set(name, { value, path: '/' })
  }
  const keep = (response: Response): Response => {
    for (const cookie of (response.headers['set-cookie'] ?? []) as unknown as string[]) {
      const [, name, value, path] = /^([^=]+)=([^;]*);.*?Path=([^;]+)/.exec(cookie)!
      if (/Max-Age=0\b/.test(cookie)) jar.delete(name!)
      else jar.set(name!, { value: value!, path: path! })
    }
    return response
  }
  const cookiesFor = (path: string): string =>
    [...jar]
      .filter(([, cookie]) => cookie.path === '/' || path.split('?')[0] === cookie.path)
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
  const send = (verb: 'get' | 'post', path: string) => {
    const agent = request(api.url)
    return agent[verb](path)
      .redirects(0)
      .set({ accept: 'text/html', cookie: cookiesFor(path) })
  }
  const visitor: Visitor = {
    hold: (name, value) => void jar.set(name, { value, path: '/' }),
    get: async (path, headers = {}) => keep(await send('get', path).set(headers)),
    async post(path, fields, headers = {}) {
      const body = new URLSearchParams()
      if (session && !('csrf_token' in fields)) body.set('csrf_token', session.csrfToken)
      for (const [name, values] of Object.entries(fields)) {
        for (const value of [values].flat()) body.append(name, value)
      }
      return keep(
        await send('post', path)
          .set({ 'sec-fetch-site': 'same-origin', origin: 'null', ...headers })
          .type('form')
          .send(body.toString()),
      )
    },
    async submit(path, fields) {
      const { status, headers, text } = await visitor.post(path, fields)
      if (status !== 303) throw new Error(`The form was refused with ${status}: ${text}`)
      return visitor.get(headers['location']!)
    },
  }
  return visitor
}

/** The text of the h1 of a page. */
export const headingOf = ({ text }: Response): string | undefined =>
  /<h1>([^<]*)<\/h1>/.exec(text)?.[1]
