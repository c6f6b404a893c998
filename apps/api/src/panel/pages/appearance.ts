import { appearanceCookies } from '@hosting/html'
import { isHttps } from '../../api/access/session.ts'
import { formatCookie } from '../cookies.ts'
import { openPage, type PageRequest, type Redirect } from '../page.ts'

const yearSeconds = 365 * 86_400

/** Stores the color scheme that a person chooses, in a cookie that all pages of the service read. */
export const themePage = openPage({
  path: '/theme',
  show: ({ next }) => Promise.resolve({ to: next }),
  actions: {
    system: choose('theme', undefined),
    light: choose('theme', 'light'),
    dark: choose('theme', 'dark'),
  },
})

/** Stores the height of the rows of lists that a person chooses. */
export const densityPage = openPage({
  path: '/density',
  show: ({ next }) => Promise.resolve({ to: next }),
  actions: {
    comfortable: choose('density', undefined),
    compact: choose('density', 'compact'),
  },
})

/** Stores the zone of times that a person chooses. */
export const timesPage = openPage({
  path: '/times',
  show: ({ next }) => Promise.resolve({ to: next }),
  actions: {
    local: choose('times', undefined),
    utc: choose('times', 'utc'),
  },
})

/** An action that stores a choice. The default is not stored. */
function choose(name: keyof typeof appearanceCookies, value: string | undefined) {
  return ({ services, next }: PageRequest): Promise<Redirect> => {
    const seconds = value === undefined ? 0 : yearSeconds
    const cookie = { isHttps: isHttps(services), path: '/', seconds }
    const headers = { 'Set-Cookie': formatCookie(appearanceCookies[name], value ?? '', cookie) }
    return Promise.resolve({ to: next, headers })
  }
}
