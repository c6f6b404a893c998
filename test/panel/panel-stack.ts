import type { BrowserContext, Page } from 'playwright-core'
import type { TestApi } from '../support/api.ts'

/** Adds a cookie, in the format of the header, to a browser. */
export async function holdCookie(
  { api }: { api: Pick<TestApi, 'url'> },
  context: BrowserContext,
  cookie: string,
): Promise<void> {
  const [name, value] = cookie.split('=') as [string, string]
  await context.addCookies([{ name, value, url: api.url, httpOnly: true, sameSite: 'Lax' }])
}

/** Opens a page and records everything that the browser reports: script errors, policy violations, missing files. */
export async function openPage(context: BrowserContext): Promise<Page & { complaints: string[] }> {
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  return Object.assign(page, { complaints })
}

/** A started device login. */
export interface StartedLogin {
  readonly device_code: string
  readonly user_code: string
}

let starts = 0

/** Starts a device login from a new address, since the limits apply per address. */
export async function startLogin(api: TestApi, name = 'laptop of ana'): Promise<StartedLogin> {
  starts += 1
  const response = await api.call('post', '/auth/device/code', {
    body: { client_name: name },
    headers: {
      'x-forwarded-for': `198.51.100.${starts % 250}`,
      'user-agent': 'hctl/1.2 (linux)',
    },
  })
  if (response.status !== 200) throw new Error(`No login was started: ${response.text}`)
  return response.body as StartedLogin
}
