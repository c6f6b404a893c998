import { notFound } from '@hosting/core/problems'
import { describeAgent } from '@hosting/core/text'
import { listSessionsRoute } from '../../../api/routes/sessions.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { ConfirmationPage } from '../../view/confirmation.tsx'
import { Time } from '../../view/time.tsx'

const crumbs = [['Security', '/security']] as const

/** Asks before all other sessions are ended. */
export const endSessionsPage = page({
  path: '/security/sessions/end',
  access: 'session',
  withoutSecondFactor: true,
  async show({ call }) {
    const { others, isMore } = await listOthers(call)
    return {
      title: 'End other sessions',
      body: (
        <ConfirmationPage
          title="End all other sessions?"
          crumbs={crumbs}
          action="end-others"
          to="/security"
          consequence={[
            'Every other browser is signed out immediately',
            'What was entered there and not saved may be lost. Your API keys keep working.',
          ]}
          facts={[['Other sessions', `${others.length}${isMore ? '+' : ''}`]]}
          button="End all other sessions"
          cancel="/security"
        />
      ),
    }
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
    return {
      title: 'End session',
      body: (
        <ConfirmationPage
          title="End this session?"
          crumbs={crumbs}
          action="end"
          to="/security"
          consequence={[
            'The browser is signed out immediately',
            'What was entered there and not saved may be lost.',
          ]}
          facts={[
            ['Browser', describeAgent(session.user_agent)],
            ['IP address', <span class="mono">{session.ip}</span>],
            ['Last seen', <Time at={session.last_seen_at} />],
          ]}
          button="End session"
          cancel="/security"
        >
          <input type="hidden" name="id" value={session.id} />
        </ConfirmationPage>
      ),
    }
  },
})

/** The other sessions of the person, on one page. */
async function listOthers(call: SignedInRequest['call']) {
  const { items, next_cursor } = await call(listSessionsRoute, { query: { limit: '100' } })
  return { others: items.filter(({ current }) => !current), isMore: next_cursor !== null }
}
