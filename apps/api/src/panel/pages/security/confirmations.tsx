import { notFound } from '@hosting/core/problems'
import { describeAgent } from '@hosting/core/text'
import { listPasskeysRoute, removePasskeyRoute } from '../../../api/routes/passkeys.ts'
import { listSessionsRoute } from '../../../api/routes/sessions.ts'
import { removeTotpRoute } from '../../../api/routes/totp.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { confirmationView } from '../../view/confirmation.tsx'
import { Time } from '../../view/time.tsx'

const place = { crumbs: [['Security', '/security']], cancel: '/security' } as const

/** Asks before the authenticator is removed. */
export const removeAuthenticatorPage = page({
  path: '/security/authenticator/remove',
  access: 'session',
  withoutSecondFactor: 'first',
  confirmed: true,
  show: () =>
    Promise.resolve(
      confirmationView('Turn off two-factor authentication', {
        ...place,
        question: 'Turn off two-factor authentication?',
        action: 'remove',
        consequence: [
          'Your account will be protected only by your password',
          'Anyone who knows it can sign in as you. Your recovery codes also stop working.',
        ],
        button: 'Turn off',
      }),
    ),
  actions: {
    async remove({ call }) {
      await call(removeTotpRoute)
      return { to: '/security', message: 'totp_removed' }
    },
  },
})

/** Asks before a passkey is removed. */
export const removePasskeyPage = page({
  path: '/security/passkeys/:id/remove',
  access: 'session',
  withoutSecondFactor: 'first',
  confirmed: true,
  async show({ call, params }) {
    const { items } = await call(listPasskeysRoute)
    const passkey = items.find(({ id }) => id === params.id)
    if (!passkey) throw notFound()
    return confirmationView('Remove passkey', {
      ...place,
      question: 'Remove this passkey?',
      action: 'remove',
      isFinal: true,
      consequence: [
        'You can no longer sign in with it',
        'Your password and your other passkeys keep working. Also delete the passkey where it is kept: on the device or in the password manager.',
      ],
      facts: [
        ['Name', <bdi>{passkey.name}</bdi>],
        ['Added', <Time at={passkey.created_at} />],
        ['Last used', <Time at={passkey.last_used_at} />],
      ],
      button: 'Remove passkey',
    })
  },
  actions: {
    async remove({ call, params }) {
      await call(removePasskeyRoute, { params: { id: params.id } })
      return { to: '/security', message: 'passkey_removed' }
    },
  },
})

/** Asks before all other sessions are ended. */
export const endSessionsPage = page({
  path: '/security/sessions/end',
  access: 'session',
  withoutSecondFactor: true,
  async show({ call }) {
    const { others, isMore } = await listOthers(call)
    return confirmationView('End other sessions', {
      ...place,
      question: 'End all other sessions?',
      action: 'end-others',
      to: '/security',
      consequence: [
        'Every other browser is signed out immediately',
        'What was entered there and not saved may be lost. Your API keys keep working.',
      ],
      facts: [['Other sessions', `${others.length}${isMore ? '+' : ''}`]],
      button: 'End all other sessions',
    })
  },
})

/** Asks before one session is ended. */
export const endSessionPage = page({
  path: '/security/sessions/:id/end',
  access: 'session',
  withoutSecondFactor: true,
  async show({ call, params }) {
    const { others } = await listOthers(call)
    const session = others.find(({ id }) => id === params.id)
    if (!session) throw notFound()
    return confirmationView('End session', {
      ...place,
      question: 'End this session?',
      action: 'end',
      to: '/security',
      consequence: [
        'The browser is signed out immediately',
        'What was entered there and not saved may be lost.',
      ],
      facts: [
        ['Browser', describeAgent(session.user_agent)],
        ['IP address', <span class="mono">{session.ip}</span>],
        ['Last seen', <Time at={session.last_seen_at} />],
      ],
      button: 'End session',
      fields: <input type="hidden" name="id" value={session.id} />,
    })
  },
})

/** The other sessions of the person, on one page. */
async function listOthers(call: SignedInRequest['call']) {
  const { items, next_cursor } = await call(listSessionsRoute, { query: { limit: '100' } })
  return { others: items.filter(({ current }) => !current), isMore: next_cursor !== null }
}
