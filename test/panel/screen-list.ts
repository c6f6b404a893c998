import type { Page } from 'playwright-core'
import type { TestApi } from '../support/api.ts'
import type { Stack } from '../support/stack.ts'
import { authenticatorScreens, identityProviderScreens } from './authenticator-screens.ts'
import type { Furnished } from './furnished.ts'
import { startLogin } from './panel-stack.ts'
import { workloadScreens } from './workload-screens.ts'
import { press, waysIn, type ScreenGroup, type Way, type Ways } from './ways.ts'

/** Every page in each of its states. The largest groups come first. */
export function listScreens(stack: Stack, furnished: Furnished): ScreenGroup[] {
  const { people } = furnished
  const ways = waysIn(stack.api.url)
  const { open, submit } = ways
  const group = (cookie: string | undefined, screens: ScreenGroup['screens']) => ({
    cookie,
    screens,
  })
  return [
    group(people.ana, keyScreens(ways, furnished)),
    group(people.ana, webhookScreens(ways, furnished)),
    group(undefined, signedOutScreens(ways)),
    group(people.ana, { ...deliveryScreens(ways, furnished), ...generalScreens(stack, furnished) }),
    group(people.ana, securityScreens(ways, furnished)),
    group(people.ana, deviceScreens(stack.api, ways)),
    group(people.ana, workloadScreens(ways, furnished.workloadKey)),
    group(people.gina, governedScreens(ways, furnished)),
    group(people.empty, {
      'empty-overview': open('/'),
      'empty-keys': open('/keys'),
      'empty-webhooks': open('/webhooks'),
      'empty-deliveries': open('/deliveries'),
      'empty-events': open('/events'),
      'empty-notices': open('/notices'),
      'empty-audit': open('/audit'),
    }),
    ...authenticatorScreens(stack, furnished),
    ...identityProviderScreens(furnished),
    group(people.support, { forbidden: open('/webhooks/new') }),
    group(people.reseller, { 'reseller-overview': open('/') }),
    group(people.impersonating, { impersonation: open('/keys') }),
    group(people.unconfirmed, {
      confirm: open('/security/password'),
      'confirm-refused': submit('/confirm', 'Confirm', { Password: 'not this one' }),
    }),
    group(people.outside, {
      'outside-security': open('/security'),
      'outside-password': open('/security/password'),
    }),
    group(people.outsideLater, { 'outside-confirm': open('/confirm') }),
    group(people.guessing, {
      'device-too-many': async (page) => {
        const guess = submit('/device', 'Continue', { Code: 'BCDF-GHJK' })
        for (let guesses = 0; guesses < 6; guesses++) await guess(page)
      },
    }),
  ]
}

const signedOutScreens = ({ open, submit }: Ways): ScreenGroup['screens'] => ({
  'sign-in': open('/sign-in'),
  'sign-in-device': open('/device?user_code=BCDF-GHJK'),
  'sign-in-refused': submit('/sign-in', 'Sign in', {
    'Email address': 'ana@example.test',
    Password: 'wrong',
  }),
  'sign-in-link-unknown': open('/sign-in/link/x'),
  'sign-in-link-used': open('/sign-in?reason=link_used'),
  'sign-in-code-late': open('/sign-in/code'),
  problems: open('/problems'),
  problem: open('/problems/not_found'),
})

const generalScreens = ({ api }: Stack, { guest }: Furnished): ScreenGroup['screens'] => {
  const { open } = waysIn(api.url)
  return {
    overview: open('/'),
    search: open('/search'),
    'search-found': open('/search?q=key'),
    'search-nothing': open('/search?q=nothing+of+this+name'),
    'overview-week': open('/?window=7d'),
    audit: open('/audit'),
    'audit-filtered': open('/audit?action=api_key.create'),
    'audit-invalid': open('/audit?key_id=x'),
    notices: open('/notices'),
    'notices-unread': open('/notices?unread=true'),
    'sign-out': open('/sign-out'),
    'sign-in-again': open('/sign-in'),
    'sign-in-link': async (page) => {
      const { body } = await api.callInternal('post', `/users/${guest}/sign-in-links`, {})
      await open(new URL(body.url as string).pathname)(page)
    },
    'not-found': open('/nothing/here'),
  }
}

const keyScreens = ({ open, submit }: Ways, { keys }: Furnished): ScreenGroup['screens'] => ({
  keys: open('/keys'),
  'keys-filtered': open('/keys?q=script&status=all'),
  'keys-filtered-empty': open('/keys?status=expired'),
  'key-new': open('/keys/new'),
  'key-new-linked': open('/keys/new?name=CI&scopes=sites:write,*:read,nonsense'),
  'key-new-preset': open('/keys/new?preset=monitoring'),
  'key-new-refused': submit('/keys/new', 'Create key', {
    'Allowed IP addresses (optional)': '203.0.113.7/8',
    'Requests per minute': '9000',
  }),
  'key-token': submit(`/keys/${keys.deploy}/rotate`, 'Rotate key'),
  'key-token-gone': open(`/keys/${keys.deploy}/token`),
  key: open(`/keys/${keys.deploy}`),
  'key-used': open(`/keys/${keys.used}`),
  'key-rotated': open(`/keys/${keys.rotated}`),
  'key-uses': open(`/keys/${keys.used}/uses`),
  'key-uses-of-week': open(`/keys/${keys.used}/uses?range=week`),
  'key-history': open(`/keys/${keys.used}/history`),
  'key-uses-none': open(`/keys/${keys.parent}/uses`),
  'key-edit': open(`/keys/${keys.deploy}/edit`),
  'key-rotate': open(`/keys/${keys.deploy}/rotate`),
  'key-rotate-now': open(`/keys/${keys.deploy}/rotate?overlap=none`),
  'key-disable': open(`/keys/${keys.deploy}/disable`),
  'key-revoke': open(`/keys/${keys.deploy}/revoke`),
  'key-revoked': open(`/keys/${keys.old}`),
  'key-with-descendants': open(`/keys/${keys.parent}`),
  'key-revoke-descendants': open(`/keys/${keys.parent}/revoke`),
  organization: open('/organization'),
  'key-policy': open('/organization/key-policy?max_lifetime_days=30&ip_allowlist_required=true'),
  'key-policy-violations-none': open('/organization/key-policy/violations'),
})

/** Pages of an organization with a key policy. */
const governedScreens = (
  { open, submit }: Ways,
  { governed }: Furnished,
): ScreenGroup['screens'] => ({
  'organization-violations': open('/organization'),
  'key-policy-set': open('/organization/key-policy'),
  'key-policy-refused': submit('/organization/key-policy', 'Save key policy', {
    'Maximum lifetime in days': '99999',
  }),
  'key-policy-violations': open('/organization/key-policy/violations'),
  'key-violating': open(`/keys/${governed}`),
  'key-new-governed': open('/keys/new'),
})

const webhookScreens = ({ open, submit }: Ways, { hooks }: Furnished): ScreenGroup['screens'] => ({
  webhooks: open('/webhooks'),
  'webhook-new': open('/webhooks/new'),
  'webhook-new-refused': submit('/webhooks/new', 'Add endpoint', { URL: 'nonsense' }),
  webhook: open(`/webhooks/${hooks.healthy}`),
  'webhook-test-events': async (page) => {
    await open(`/webhooks/${hooks.healthy}`)(page)
    await press(page, 'Choose the type of the test event')
  },
  'webhook-failing': open(`/webhooks/${hooks.failing}`),
  'webhook-deliveries': open(`/webhooks/${hooks.failing}/deliveries`),
  'webhook-deliveries-filtered': open(`/webhooks/${hooks.healthy}/deliveries?status=dead`),
  'webhook-incidents': open(`/webhooks/${hooks.failing}/incidents`),
  'webhook-incident': open(`/webhooks/${hooks.failing}/incidents/${hooks.incident}`),
  'webhook-history': open(`/webhooks/${hooks.failing}/history`),
  'webhook-completeness': open(`/webhooks/${hooks.failing}/completeness`),
  'webhook-incidents-none': open(`/webhooks/${hooks.healthy}/incidents`),
  'webhook-settings': open(`/webhooks/${hooks.failing}/settings`),
  'webhook-disabled': open(`/webhooks/${hooks.paused}`),
  'webhook-waiting': open(`/webhooks/${hooks.waiting}`),
  'webhook-edit': open(`/webhooks/${hooks.failing}/edit`),
  'webhook-rotate': open(`/webhooks/${hooks.healthy}/rotate`),
  'webhook-secret': submit(`/webhooks/${hooks.paused}/rotate`, 'Rotate secret'),
  'webhook-disable': open(`/webhooks/${hooks.healthy}/disable`),
  'webhook-secret-gone': open(`/webhooks/${hooks.paused}/secret`),
  'webhook-delete': open(`/webhooks/${hooks.healthy}/delete`),
  'webhook-recover': open(`/webhooks/${hooks.failing}/recover`),
  'webhook-recover-options': open(
    `/webhooks/${hooks.failing}/recover?status=any&backfill=true&event_types=site.created`,
  ),
  'webhook-recover-invalid': open(
    `/webhooks/${hooks.failing}/recover?range=custom&from=2026-01-01T00:00`,
  ),
  'webhook-recover-waiting': open(`/webhooks/${hooks.recovered}/recover`),
  'webhook-recovered': open(`/webhooks/${hooks.recovered}`),
  recovery: open(`/webhooks/${hooks.failing}/recoveries/${hooks.recovery}`),
})

const deliveryScreens = ({ open }: Ways, { hooks }: Furnished): ScreenGroup['screens'] => ({
  deliveries: open('/deliveries'),
  'deliveries-bulk': open('/deliveries/bulk'),
  'deliveries-filtered': open('/deliveries?status=waiting_retry&since=2026-01-01T00:00'),
  'deliveries-filtered-empty': open('/deliveries?event_type=database.deleted'),
  'deliveries-search': open('/deliveries?q=site.created'),
  'deliveries-nothing-found': open('/deliveries?q=pager&status=dead'),
  'deliveries-invalid': open('/deliveries?status_code=99'),
  'deliveries-selected': open(
    `/deliveries/bulk?of=selected&id=${hooks.delivered}&id=${hooks.retried}&id=${hooks.dead}`,
  ),
  'deliveries-selected-arrived': open(`/deliveries/bulk?of=selected&id=${hooks.delivered}`),
  'deliveries-nothing-selected': open('/deliveries/bulk?of=selected'),
  events: open('/events'),
  'events-filtered-empty': open('/events?types=database.*'),
  'events-invalid': open('/events?types=nonsense'),
  event: open(`/events/${hooks.event}`),
  'event-without-delivery': open(`/events/${hooks.unsentEvent}`),
  delivery: open(`/deliveries/${hooks.delivered}`),
  'delivery-retried': open(`/deliveries/${hooks.retried}`),
  'delivery-dead': open(`/deliveries/${hooks.dead}`),
  'internal-error': open(`/deliveries/${hooks.broken}`),
})

const securityScreens = (
  { open, submit }: Ways,
  { passkey }: Furnished,
): ScreenGroup['screens'] => ({
  'passkey-new': open('/security/passkeys/new'),
  'passkey-remove': open(`/security/passkeys/${passkey}/remove`),
  'security-policy': open('/organization/security-policy'),
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

function deviceScreens(api: TestApi, { open, submit }: Ways): ScreenGroup['screens'] {
  const review = async (page: Page): Promise<void> => {
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
    'device-unknown': open('/device/review'),
    'device-review': review,
    'device-review-linked': async (page) => {
      const { user_code } = await startLogin(api)
      await submit(`/device?user_code=${user_code}`, 'Continue')(page)
    },
    'device-approved': decide('Approve read-only access'),
    'device-denied': decide('Deny'),
  }
}
