import type { BrowserContext, Page } from 'playwright-core'
import type { TestApi } from '../support/api.ts'
import type { Furnished } from './furnished.ts'
import { startLogin } from './panel-stack.ts'

/** A page under test: who opens it, and how. */
export interface ScreenUnderTest {
  readonly name: string
  readonly context: BrowserContext
  prepare(page: Page): Promise<void>
}

type Way = ScreenUnderTest['prepare']

/** Every page in each of its states, by name. */
export function listScreens(api: TestApi, furnished: Furnished): ScreenUnderTest[] {
  const { people } = furnished
  const ways = waysIn(api)
  const seenBy = (context: BrowserContext, screens: Readonly<Record<string, Way>>) =>
    Object.entries(screens).map(([name, prepare]) => ({ name, context, prepare }))
  return [
    ...seenBy(people.ana, {
      overview: ways.open('/'),
      'overview-week': ways.open('/?window=7d'),
      ...keyScreens(ways, furnished),
      ...webhookScreens(ways, furnished),
      ...deliveryScreens(ways, furnished),
      ...securityScreens(ways),
      ...deviceScreens(api, ways),
      audit: ways.open('/audit'),
      notices: ways.open('/notices'),
      'notices-unread': ways.open('/notices?unread=true'),
      'sign-out': ways.open('/sign-out'),
      'sign-in-link': async (page) => {
        const path = `/users/${furnished.guest}/sign-in-links`
        const { body } = await api.callInternal('post', path, {})
        await ways.open(new URL(body.url as string).pathname)(page)
      },
      'not-found': ways.open('/nothing/here'),
    }),
    ...seenBy(people.empty, {
      'empty-overview': ways.open('/'),
      'empty-keys': ways.open('/keys'),
      'empty-webhooks': ways.open('/webhooks'),
      'empty-deliveries': ways.open('/deliveries'),
      'empty-notices': ways.open('/notices'),
    }),
    ...seenBy(people.support, { forbidden: ways.open('/webhooks/new') }),
    ...seenBy(people.reseller, { 'reseller-overview': ways.open('/') }),
    ...seenBy(people.impersonating, { impersonation: ways.open('/keys') }),
    ...seenBy(people.unconfirmed, {
      confirm: ways.open('/security/password'),
      'confirm-refused': ways.submit('/confirm', 'Confirm', { Password: 'not this one' }),
    }),
    ...seenBy(people.outside, {
      'outside-security': ways.open('/security'),
      'outside-password': ways.open('/security/password'),
    }),
    ...seenBy(people.outsideLater, { 'outside-confirm': ways.open('/confirm') }),
    ...seenBy(people.guessing, {
      'device-too-many': async (page) => {
        const guess = ways.submit('/device', 'Continue', { Code: 'BCDF-GHJK' })
        for (let guesses = 0; guesses < 6; guesses++) await guess(page)
      },
    }),
    ...seenBy(people.nobody, signedOutScreens(ways)),
  ]
}

const signedOutScreens = (ways: Ways): Readonly<Record<string, Way>> => ({
  'sign-in': ways.open('/sign-in'),
  'sign-in-device': ways.open('/device?user_code=BCDF-GHJK'),
  'sign-in-refused': ways.submit('/sign-in', 'Sign in', {
    'Email address': 'ana@example.test',
    Password: 'wrong',
  }),
  'sign-in-link-unknown': ways.open('/sign-in/link/x'),
  'sign-in-code-late': ways.open('/sign-in/code'),
  documentation: ways.open('/docs'),
  reference: ways.open('/docs/api'),
  problems: ways.open('/problems'),
  problem: ways.open('/problems/not_found'),
})

type Ways = ReturnType<typeof waysIn>

/** Ways to open a page. */
const waysIn = ({ url }: TestApi) => ({
  open:
    (path: string): Way =>
    async (page) =>
      void (await page.goto(url + path)),
  submit:
    (path: string, button: string, fields: Readonly<Record<string, string>> = {}): Way =>
    async (page) => {
      await page.goto(url + path)
      for (const [label, value] of Object.entries(fields)) {
        await page.getByLabel(label, { exact: true }).fill(value)
      }
      await press(page, button)
    },
})

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await page.waitForLoadState()
}

const keyScreens = ({ open, submit }: Ways, { keys }: Furnished): Record<string, Way> => ({
  keys: open('/keys'),
  'keys-filtered-empty': open('/keys?status=expired'),
  'key-new': open('/keys/new'),
  'key-new-linked': open('/keys/new?name=CI&scopes=sites:write,*:read,nonsense'),
  organization: open('/organization'),
  'key-policy': open('/organization/key-policy?max_lifetime_days=30&ip_allowlist_required=true'),
  'key-policy-violations': open('/organization/key-policy/violations'),
  'key-new-refused': submit('/keys/new', 'Create key', {
    'Allowed IP addresses (optional)': '203.0.113.7/8',
    'Requests per minute': '9000',
  }),
  'key-token': submit(`/keys/${keys.deploy}/rotate`, 'Rotate key'),
  'key-token-gone': open(`/keys/${keys.deploy}/token`),
  key: open(`/keys/${keys.deploy}`),
  'key-edit': open(`/keys/${keys.deploy}/edit`),
  'key-rotate': open(`/keys/${keys.deploy}/rotate`),
  'key-rotate-now': open(`/keys/${keys.deploy}/rotate?overlap=none`),
  'key-disable': open(`/keys/${keys.deploy}/disable`),
  'key-revoke': open(`/keys/${keys.deploy}/revoke`),
  'key-revoked': open(`/keys/${keys.old}`),
})

const webhookScreens = ({ open, submit }: Ways, { hooks }: Furnished): Record<string, Way> => ({
  webhooks: open('/webhooks'),
  'webhook-new': open('/webhooks/new'),
  'webhook-new-refused': submit('/webhooks/new', 'Add endpoint', { URL: 'https://localhost/' }),
  webhook: open(`/webhooks/${hooks.healthy}`),
  'webhook-failing': open(`/webhooks/${hooks.failing}`),
  'webhook-disabled': open(`/webhooks/${hooks.paused}`),
  'webhook-edit': open(`/webhooks/${hooks.failing}/edit`),
  'webhook-rotate': open(`/webhooks/${hooks.healthy}/rotate`),
  'webhook-secret': submit(`/webhooks/${hooks.paused}/rotate`, 'Rotate secret'),
  'webhook-disable': open(`/webhooks/${hooks.healthy}/disable`),
  'webhook-delete': open(`/webhooks/${hooks.healthy}/delete`),
  'webhook-recover': open(`/webhooks/${hooks.failing}/recover`),
  recovery: open(`/webhooks/${hooks.failing}/recoveries/${hooks.recovery}`),
})

const deliveryScreens = ({ open }: Ways, { hooks }: Furnished): Record<string, Way> => ({
  deliveries: open('/deliveries'),
  delivery: open(`/deliveries/${hooks.delivered}`),
  'delivery-retried': open(`/deliveries/${hooks.retried}`),
  'delivery-dead': open(`/deliveries/${hooks.dead}`),
  'internal-error': open(`/deliveries/${hooks.broken}`),
})

const securityScreens = ({ open, submit }: Ways): Record<string, Way> => ({
  security: open('/security'),
  'sessions-end': open('/security/sessions/end'),
  password: open('/security/password'),
  'password-refused': submit('/security/password', 'Change password', {
    'New password': 'short',
    'Repeat new password': 'short',
  }),
  authenticator: open('/security/authenticator'),
  'authenticator-enrol': submit('/security/authenticator', 'Show QR code'),
  'recovery-codes-gone': open('/security/recovery-codes'),
})

function deviceScreens(api: TestApi, { open, submit }: Ways): Record<string, Way> {
  const review: Way = async (page) => {
    const { user_code } = await startLogin(api)
    await submit('/device', 'Continue', { Code: user_code })(page)
  }
  const decide =
    (button: string): Way =>
    async (page) => {
      await review(page)
      await press(page, button)
    }
  return {
    device: open('/device?user_code=bcdf-ghjk'),
    'device-refused': submit('/device', 'Continue', { Code: 'ABCD-1234' }),
    'device-review': review,
    'device-approved': decide('Approve read-only access'),
    'device-denied': decide('Deny'),
  }
}
