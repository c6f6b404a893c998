import { themeCookie, type Theme } from '@hosting/html'
import { isHttps } from '../../http/session.ts'
import { formatCookie } from '../cookies.ts'
import { openPage, type PageRequest, type Redirect } from '../page.ts'

const yearSeconds = 365 * 86_400

/** Stores the color scheme that a person chooses, in a cookie that all pages of the service read. */
export const themePage = openPage({
  path: '/theme',
  show: ({ next }) => Promise.resolve({ to: next }),
  actions: {
    system: (pageRequest) => choose(pageRequest, undefined),
    light: (pageRequest) => choose(pageRequest, 'light'),
    dark: (pageRequest) => choose(pageRequest, 'dark'),
  },
})

function choose({ services, next }: PageRequest, theme: Theme | undefined): Promise<Redirect> {
  const seconds = theme === undefined ? 0 : yearSeconds
  const cookie = { isHttps: isHttps(services), path: '/', seconds }
  const headers = { 'Set-Cookie': formatCookie(themeCookie, theme ?? '', cookie) }
  return Promise.resolve({ to: next, headers })
}
