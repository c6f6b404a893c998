import { describeAgent } from '@hosting/core/text'
import { hasPassword, readTotpState, relyingPartyOf } from '../../../api/for-pages.ts'
import {
  type SessionItem,
  endOtherSessionsRoute,
  listSessionsRoute,
  revokeSessionRoute,
} from '../../../api/routes/sessions.ts'
import {
  getNotificationSettingsRoute,
  putNotificationSettingsRoute,
} from '../../../api/routes/notices.ts'
import { listPasskeysRoute } from '../../../api/routes/passkeys.ts'
import { page } from '../../page.ts'
import { Badge, Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { List } from '../../view/list.tsx'
import { Ago } from '../../view/time.tsx'
import { PasskeysCard } from './passkeys.tsx'
import { noticeCategories, type NoticeCategory } from '@hosting/core/notices'
import type { SubmittedForm } from '../../form.ts'
import { CheckBoxes } from '../../view/fields.tsx'
import { Form, Submit, RefusedAction } from '../../view/form.tsx'

const labels: Readonly<Record<NoticeCategory, readonly [label: string, hint: string]>> = {
  webhooks: ['Webhooks', 'An endpoint is failing, has recovered, or was disabled.'],
  api_keys: ['API keys', 'A key was created, or expires soon.'],
  security: [
    'Security',
    'A new device signed in, or your password, passkeys, authenticator or these emails changed.',
  ],
}

type MailSettings = Readonly<Record<NoticeCategory, boolean>>

/** The settings for mail. */
const NotificationsCard = ({ settings }: { settings: MailSettings }) => (
  <section id="notifications">
    <Card
      title="Mail"
      hint="Notices always appear in the panel. Choose which of them you also get by email."
    >
      <Form action="notifications">
        <CheckBoxes
          name="email"
          label="Email me about"
          chosen={noticeCategories.filter((category) => settings[category])}
        >
          {(isChosen) => (
            <div class="choices cards">
              {noticeCategories.map((category) => (
                <label key={category} class="check">
                  <input
                    type="checkbox"
                    name="email"
                    value={category}
                    checked={isChosen(category)}
                  />
                  <span>{labels[category][0]}</span>
                  <span class="hint">{labels[category][1]}</span>
                </label>
              ))}
            </div>
          )}
        </CheckBoxes>
        <div class="buttons">
          <Submit>Save</Submit>
        </div>
      </Form>
    </Card>
  </section>
)

/** Converts the submitted form to the API's format. */
function readNotificationFields(form: SubmittedForm): { email: MailSettings } {
  const chosen = new Set(form.all('email'))
  const [webhooks, api_keys, security] = noticeCategories.map((category) => chosen.has(category))
  return { email: { webhooks: webhooks!, api_keys: api_keys!, security: security! } }
}

export const securityPage = page({
  path: '/security',
  access: 'session',
  withoutSecondFactor: true,
  async show({ call, caller, services }) {
    const { items } = await call(listSessionsRoute, { query: { limit: '100' } })
    // Closed to a person who lacks a required second factor.
    const mail = caller.session.lacksSecondFactor
      ? undefined
      : await call(getNotificationSettingsRoute)
    const passkeys = await call(listPasskeysRoute)
    const totp = await readTotpState(services, caller)
    const offersPasskeys = relyingPartyOf(services.config) !== undefined
    const signsInHere = await hasPassword(services.database.prisma, caller.user.id)
    return {
      title: 'Security',
      body: (
        <>
          <PageHeader title="Security">
            Your sign-in methods and sessions in {caller.tenant.name}.
          </PageHeader>
          <RefusedAction />
          <div class="grid">
            {signsInHere ? <PasswordCard /> : <OutsideCard offersPasskeys={offersPasskeys} />}
            {(signsInHere || totp.isActive) && <TotpCard {...totp} />}
          </div>
          {(offersPasskeys || passkeys.items.length > 0) && (
            <PasskeysCard passkeys={passkeys.items} isAvailable={offersPasskeys} />
          )}
          <Card
            flush
            title="Sessions"
            hint="End any session that you do not recognize. It stops working immediately."
            aside={
              items.length > 1 && (
                <LinkButton to="/security/sessions/end" variant="danger small">
                  End all other sessions
                </LinkButton>
              )
            }
          >
            <SessionTable sessions={items} />
          </Card>
          {mail && <NotificationsCard settings={mail.email} />}
        </>
      ),
    }
  },
  actions: {
    async notifications({ call, form }) {
      await call(putNotificationSettingsRoute, { body: readNotificationFields(form) })
      return { to: '/security', message: 'notifications_updated' }
    },
    async end({ call, form }) {
      await call(revokeSessionRoute, { params: { id: form.text('id') ?? '' } })
      return { to: '/security', message: 'session_revoked' }
    },
    async 'end-others'({ call }) {
      // Each request ends a limited number of them.
      while ((await call(endOtherSessionsRoute)).isMore);
      return { to: '/security', message: 'sessions_revoked' }
    },
  },
})

const PasswordCard = () => (
  <Card title="Password" hint="Use a long, unique password. Changing it ends your other sessions.">
    <LinkButton to="/security/password">Change password</LinkButton>
  </Card>
)

const OutsideCard = ({ offersPasskeys }: { offersPasskeys: boolean }) => (
  <Card title="Sign-in">
    <p>
      You sign in without a password. Your sign-in and its second factor are managed where you sign
      in, outside this panel.{offersPasskeys && ' A passkey also works here directly.'}
    </p>
  </Card>
)

const TotpCard = ({
  isActive,
  recoveryCodesLeft,
}: {
  isActive: boolean
  recoveryCodesLeft: number
}) => (
  <Card
    title="Two-factor authentication"
    aside={isActive ? <Badge tone="ok">On</Badge> : <Badge tone="warn">Off</Badge>}
    hint={
      isActive
        ? `You sign in with your password and a code. Recovery codes left: ${recoveryCodesLeft}.`
        : 'Requires a code from your phone in addition to your password, so a stolen password is not enough.'
    }
  >
    {isActive ? (
      <LinkButton to="/security/authenticator/remove" variant="danger">
        Turn off
      </LinkButton>
    ) : (
      <LinkButton to="/security/authenticator" variant="primary">
        Turn on
      </LinkButton>
    )}
  </Card>
)

const SessionTable = ({ sessions }: { sessions: readonly SessionItem[] }) => (
  <List
    caption="Your sessions"
    variant="sessions"
    rows={sessions}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Browser',
        show: ({ user_agent, current }) => (
          <>
            <span class="lead-text" title={user_agent}>
              {describeAgent(user_agent)}
            </span>
            {current && <Badge tone="info">Current</Badge>}
          </>
        ),
      },
      {
        name: 'IP address',
        place: 'below',
        show: ({ ip, last_seen_at }) => (
          <>
            <span class="mono">{ip}</span>
            <span class="narrow-only">
              &nbsp;· seen&nbsp;
              <Ago at={last_seen_at} />
            </span>
          </>
        ),
      },
      { name: 'Signed in', numeric: true, show: ({ created_at }) => <Ago at={created_at} /> },
      { name: 'Last seen', numeric: true, show: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
      { name: 'Expires', numeric: true, show: ({ expires_at }) => <Ago at={expires_at} /> },
      {
        name: 'Action',
        numeric: true,
        place: 'act',
        show: ({ id, current, user_agent, ip }) =>
          !current && (
            <LinkButton to={`/security/sessions/${id}/end`} variant="danger small">
              End
              <span class="visually-hidden">
                {' '}
                session of {describeAgent(user_agent)} at {ip}
              </span>
            </LinkButton>
          ),
      },
    ]}
  />
)
