import { beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { codeOf } from '../../apps/api/test/support/sign-in.ts'
import { useApi, type TestTenant } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { createKeysByKey } from '../support/key-notices.ts'
import { callWith, makePerson, makeSession, makeSignedIn } from '../support/session.ts'
import { holdCookie, startLogin } from './panel-stack.ts'

const password = 'a long enough sentence'
const newPassword = 'another long sentence'

describeInBrowser('Back after a form', () => {
  const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32' })
  const browser = useBrowser()
  let tenant: TestTenant

  beforeAll(async () => {
    tenant = await api.makeTenant()
  })

  /** What a form's journey works with: a page of a signed-in person, and what the person can do by the API. */
  interface Visit {
    readonly page: Page
    readonly call: ReturnType<typeof callWith>
  }

  const open = ({ page }: Visit, path: string) => page.goto(api.url + path)
  const press = async ({ page }: Visit, name: string) => {
    await page.getByRole('button', { name, exact: true }).first().click()
    await page.waitForLoadState()
  }
  const fill = ({ page }: Visit, label: string, value: string) =>
    page.getByLabel(label, { exact: true }).fill(value)
  const isRejected = ({ page }: Visit) => page.getByRole('alert').first().waitFor()
  const shows = ({ page }: Visit, title: string) =>
    page
      .getByRole('heading', { level: 1, name: title })
      .waitFor()
      .catch(async (error: unknown) => {
        throw new Error(`${title} is not shown, but: ${await page.innerText('main')}`, {
          cause: error,
        })
      })

  async function addEndpoint({ call }: Visit): Promise<string> {
    const body = { url: `https://example.com/${Math.random()}`, events: ['*'] }
    return (await call('post', '/webhooks', { body })).body.webhook.id
  }

  /** Each kind of form: it is rejected, corrected and accepted, as far as it can be. */
  const journeys: Readonly<Record<string, (visit: Visit) => Promise<unknown>>> = {
    async 'a key'(visit) {
      await open(visit, '/keys/new')
      await press(visit, 'Create key')
      await isRejected(visit)
      await fill(visit, 'Name', 'Report')
      await visit.page.getByLabel('Full access').first().check()
      await press(visit, 'Create key')
      const token = await visit.page.locator('#secret').textContent()
      await visit.page.reload()
      await visit.page.getByText('The token is no longer available').waitFor()
      expect(await visit.page.content()).not.toContain(token)
    },
    async 'an endpoint'(visit) {
      await open(visit, '/webhooks/new')
      await fill(visit, 'URL', 'ftp://example.com')
      await visit.page.getByLabel('All events *').check()
      await press(visit, 'Add endpoint')
      await isRejected(visit)
      await fill(visit, 'URL', 'https://example.com/hooks')
      await press(visit, 'Add endpoint')
      await shows(visit, 'Signing secret')
    },
    async 'the settings of an endpoint'(visit) {
      const id = await addEndpoint(visit)
      await open(visit, `/webhooks/${id}/edit`)
      await fill(visit, 'URL', 'ftp://example.com')
      await press(visit, 'Save changes')
      await isRejected(visit)
      await fill(visit, 'URL', 'https://example.com/changed')
      await press(visit, 'Save changes')
      await shows(visit, 'example.com/changed')
    },
    async 'a test event'(visit) {
      const id = await addEndpoint(visit)
      await open(visit, `/webhooks/${id}`)
      await visit.call('patch', `/webhooks/${id}`, { body: { enabled: false } })
      await press(visit, 'Send test event')
      await isRejected(visit)
      await press(visit, 'Enable')
      await press(visit, 'Send test event')
      await shows(visit, 'webhook.ping')
    },
    async 'a recovery'(visit) {
      const id = await addEndpoint(visit)
      await open(visit, `/webhooks/${id}/recover`)
      await visit.page.getByLabel('Last hour').check()
      await press(visit, 'Count events')
      await visit.page.getByText('0 failed for good').waitFor()
    },
    async 'a rotation'(visit) {
      const id = await addEndpoint(visit)
      await open(visit, `/webhooks/${id}/rotate`)
      await press(visit, 'Rotate secret')
      const secret = await visit.page.locator('#secret').textContent()
      expect(secret).toMatch(/^whsec_/)
      await visit.page.reload()
      await visit.page.getByText('The secret is no longer available').waitFor()
      expect(await visit.page.content()).not.toContain(secret)
    },
    async 'a deletion'(visit) {
      const id = await addEndpoint(visit)
      await open(visit, `/webhooks/${id}/delete`)
      await press(visit, 'Delete endpoint')
      await shows(visit, 'Webhooks')
    },
    async 'the key policy'(visit) {
      await open(visit, '/organization/key-policy')
      await fill(visit, 'Maximum lifetime in days', '0')
      await press(visit, 'Save key policy')
      await isRejected(visit)
      await fill(visit, 'Maximum lifetime in days', '')
      await press(visit, 'Save key policy')
      await visit.page.getByText('Key policy saved').waitFor()
    },
    async 'the password'(visit) {
      await open(visit, '/security/password')
      await fill(visit, 'New password', newPassword)
      await fill(visit, 'Repeat new password', 'not this one')
      await press(visit, 'Change password')
      await isRejected(visit)
      await fill(visit, 'New password', newPassword)
      await fill(visit, 'Repeat new password', newPassword)
      await press(visit, 'Change password')
      await shows(visit, 'Security')
    },
    async 'an authenticator'(visit) {
      await open(visit, '/security/authenticator')
      await press(visit, 'Show QR code')
      const text = await visit.page.getByRole('main').locator('code').first().textContent()
      await fill(visit, 'Code', '000000')
      await press(visit, 'Turn on')
      await isRejected(visit)
      await fill(visit, 'Code', codeOf(text!.replaceAll(' ', '')))
      await press(visit, 'Turn on')
      await shows(visit, 'Recovery codes')
      const codes = await visit.page.locator('#codes').textContent()
      await visit.page.reload()
      expect(await visit.page.content()).not.toContain(codes!.split('\n')[0])
    },
    async 'the choice of mails'(visit) {
      await open(visit, '/security')
      await press(visit, 'Save')
      await shows(visit, 'Security')
    },
    async notices(visit) {
      await createKeysByKey(api, visit.call, ['Noted'])
      await open(visit, '/notices')
      await press(visit, 'Mark all as read')
      await visit.page.getByText('All notices are marked as read').waitFor()
    },
    async 'a device login'(visit) {
      const { user_code } = await startLogin(api)
      await open(visit, '/device')
      await fill(visit, 'Code', 'ABCD-1234')
      await press(visit, 'Continue')
      await isRejected(visit)
      await fill(visit, 'Code', user_code)
      await press(visit, 'Continue')
      await shows(visit, 'Authorize this device?')
      await visit.call('post', `/auth/device/requests/${user_code}/refuse`)
      await press(visit, 'Deny')
      await shows(visit, 'Request denied')
    },
  }

  /** Goes back to the first page. Every step must load a page of the panel by GET. */
  async function walkBack(page: Page): Promise<void> {
    const methods: string[] = []
    page.on('request', (request) => {
      if (request.isNavigationRequest()) methods.push(request.method())
    })
    const start = `${api.url}/security`
    for (let steps = 0; page.url() !== start || steps === 0; steps++) {
      if (steps > 12) throw new Error(`The start is not reached: ${page.url()}`)
      const response = await page.goBack()
      // The page of a deleted endpoint is not found.
      expect([200, 404, undefined]).toContain(response?.status())
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    expect(methods.filter((method) => method !== 'GET')).toEqual([])
  }

  /** The status codes with which forms are responded to. */
  function recordForms(page: Page): number[] {
    const statuses: number[] = []
    page.on('response', (response) => {
      const request = response.request()
      if (request.isNavigationRequest() && request.method() === 'POST') {
        statuses.push(response.status())
      }
    })
    return statuses
  }

  const variants = [
    ['with scripts', true],
    ['without scripts', false],
  ] as const
  /** The server makes the redirects, so the forms are by turns sent with and without scripts. */
  const cases = Object.keys(journeys).map((name, index) => {
    const [how, javaScriptEnabled] = variants[index % variants.length]!
    return [name, how, javaScriptEnabled] as const
  })

  test.each(cases)('resubmits nothing for %s, %s', async (name, _how, javaScriptEnabled) => {
    const person = await makeSignedIn(api, tenant)
    const context = await browser.open({ javaScriptEnabled })
    await holdCookie({ api }, context, person.cookie)
    const page = await context.newPage()
    const statuses = recordForms(page)
    const visit = { page, call: callWith(api, person) }
    await open(visit, '/security')
    await journeys[name]!(visit)
    expect(statuses.filter((status) => status !== 303)).toEqual([])
    await walkBack(page)
    await context.close()
  })

  test.each(variants)(
    'resubmits nothing for a sign-in and a confirmation, %s',
    async (_how, javaScriptEnabled) => {
      const { email, id } = await makePerson(api, tenant, { password })
      const context = await browser.open({ javaScriptEnabled })
      const page = await context.newPage()
      const statuses = recordForms(page)
      const visit = { page, call: callWith(api, await makeSession(api, id)) }
      await open(visit, '/security')
      await fill(visit, 'Email address', email)
      await fill(visit, 'Password', 'wrong sentence')
      await press(visit, 'Sign in')
      await isRejected(visit)
      expect(await page.getByLabel('Email address').inputValue()).toBe(email)
      await fill(visit, 'Password', password)
      await press(visit, 'Sign in')
      await shows(visit, 'Security')
      await open(visit, '/confirm?next=/security')
      await fill(visit, 'Password', 'wrong sentence')
      await press(visit, 'Confirm')
      await isRejected(visit)
      await fill(visit, 'Password', password)
      await press(visit, 'Confirm')
      await shows(visit, 'Security')
      expect(statuses).toEqual([303, 303, 303, 303])
      await page.goBack()
      await shows(visit, 'Confirm your identity')
      await context.close()
    },
  )

  test.each(variants)('shows the form of an ended session, %s', async (_how, hasScripts) => {
    const { email, id } = await makePerson(api, tenant, { password })
    const session = await makeSession(api, id)
    const context = await browser.open({ javaScriptEnabled: hasScripts })
    await holdCookie({ api }, context, session.cookie)
    const page = await context.newPage()
    const statuses = recordForms(page)
    const visit = { page, call: callWith(api, session) }
    await open(visit, '/keys/new')
    await fill(visit, 'Name', 'Nightly report')
    await page.getByLabel('Full access').first().check()
    await visit.call('delete', '/auth/session')
    await press(visit, 'Create key')
    await fill(visit, 'Email address', email)
    await fill(visit, 'Password', password)
    await press(visit, 'Sign in')
    await shows(visit, 'Create API key')
    await page.getByText('The form is from an earlier session').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Nightly report')
    await press(visit, 'Create key')
    await shows(visit, 'New token')
    expect(statuses).toEqual([303, 303, 303])
    await page.goBack()
    await shows(visit, 'Create API key')
    await context.close()
  })
})
