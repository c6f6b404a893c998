import {
  hasPassword,
  listPasskeys,
  passkeyRequestOptions,
  relyingPartyOf,
  readTotpState,
} from '../../../api/for-pages.ts'
import { personIdOf } from '../../../api/access/caller.ts'
import type { Services } from '../../../api/services.ts'
import { confirmSessionRoute } from '../../../api/routes/sessions.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { TextField } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, LinkButton } from '../../view/components.tsx'
import { PasskeyForm, readPasskey } from '../../view/passkey-form.tsx'
import { ProviderLink } from './oidc.tsx'
import { findSignInReason, signInReasons } from './reasons.ts'

/** The step-up: a signed-in person confirms their identity and returns to where they were. */
export const confirmPage = page({
  path: '/confirm',
  access: 'session',
  withoutSecondFactor: true,
  async show(pageRequest) {
    const { caller, next, services, query } = pageRequest
    const reason = findSignInReason(query['reason'])
    const { lacksSecondFactor, missingSecondFactor } = caller.session
    const needsPasskey = lacksSecondFactor && missingSecondFactor === 'unconfirmed'
    const personId = personIdOf(caller)
    const person = caller.session.impersonator?.name ?? caller.user.email ?? caller.user.name
    const passkeyOptions = await findPasskeyOptions(services, personId)
    const byPassword = await hasPassword(services.database.prisma, personId)
    return {
      title: 'Confirm your identity',
      layout: 'bare',
      body: (
        <section class="card">
          <div class="card-body stack">
            <h1>Confirm your identity</h1>
            {reason !== undefined && (
              <Alert tone="warn" title={signInReasons[reason].title} live>
                {signInReasons[reason].text}
              </Alert>
            )}
            <p class="quiet">
              {needsPasskey
                ? 'Your organization requires a second factor, and you signed in with a password alone. Use your passkey to continue.'
                : `The next step is sensitive, so ${byPassword ? 'enter your password' : 'sign in'} again${passkeyOptions ? ' or use a passkey' : ''}. You will not be asked again for 5 minutes.`}
            </p>
            <p>
              Signed in as <strong>{person}</strong>
            </p>
            {passkeyOptions && (
              <PasskeyForm kind="get" action="passkey" options={passkeyOptions}>
                <input type="hidden" name="next" value={next} />
                <Submit variant={needsPasskey ? 'primary wide' : 'wide'}>
                  Confirm with a passkey
                </Submit>
              </PasskeyForm>
            )}
            {needsPasskey ? (
              <WithoutPasskey />
            ) : (
              <OtherWays
                {...{ services, next, caller, byPassword }}
                hasPasskey={passkeyOptions !== undefined}
                asksForCode={await requiresCode(pageRequest)}
              />
            )}
          </div>
        </section>
      ),
    }
  },
  actions: {
    async passkey({ call, form, next }) {
      await call(confirmSessionRoute, { body: { passkey: readPasskey(form) } })
      return { to: next }
    },
    async confirm({ call, form, next }) {
      await call(confirmSessionRoute, {
        body: { password: form.verbatim('password'), totp_code: form.text('totp_code') },
      })
      return { to: next }
    },
  },
})

/** The options for one of the person's passkeys; `undefined` if there is none, or the service has no host name. */
async function findPasskeyOptions(services: Services, personId: string) {
  const { database, config } = services
  const isUsable =
    relyingPartyOf(config) && (await listPasskeys(database.prisma, personId)).length > 0
  return isUsable ? passkeyRequestOptions(services) : undefined
}

async function requiresCode({ caller, refused, services }: SignedInRequest): Promise<boolean> {
  const { isActive } = await readTotpState(services, { user: { id: personIdOf(caller) } })
  return isActive || refused?.code === 'totp_required'
}

/** The ways besides a passkey. */
const OtherWays = ({
  services,
  next,
  caller,
  byPassword,
  hasPasskey,
  asksForCode,
}: Pick<SignedInRequest, 'services' | 'next' | 'caller'> & {
  byPassword: boolean
  hasPasskey: boolean
  asksForCode: boolean
}) => (
  <>
    {byPassword ? (
      <PasswordForm next={next} asksForCode={asksForCode} />
    ) : services.identityProvider || hasPasskey ? null : (
      <Alert title="You sign in without a password">
        Go back to where you signed in, confirm your identity there, and open this panel again.
      </Alert>
    )}
    <ProviderLink services={services} next={next} caller={caller} />
    <LinkButton to={next === '/confirm' ? '/' : next} variant="plain wide">
      Cancel
    </LinkButton>
  </>
)

/** What a person can do who must use their passkey, and cannot do it here. */
const WithoutPasskey = () => (
  <>
    <div data-without-passkeys>
      <Alert tone="warn" title="Your passkey cannot be used here">
        Passkeys need a current browser with JavaScript, and the host name of this panel. You can
        also sign in from where your company signs you in. If you have lost your passkey, ask an
        administrator.
      </Alert>
    </div>
    <LinkButton to="/security" variant="plain wide">
      Security
    </LinkButton>
    <LinkButton to="/sign-out" variant="plain wide">
      Sign out
    </LinkButton>
  </>
)

const PasswordForm = ({ next, asksForCode }: { next: string; asksForCode: boolean }) => (
  <Form
    action="confirm"
    wrongCredentials={asksForCode ? 'The password or the code is wrong.' : 'The password is wrong.'}
  >
    <input type="hidden" name="next" value={next} />
    <TextField
      name="password"
      label="Password"
      type="password"
      autocomplete="current-password"
      autofocus
      secret
    />
    {asksForCode && (
      <TextField
        name="totp_code"
        label="Authenticator code"
        variant="mono"
        autocomplete="one-time-code"
        inputmode="numeric"
        secret
      />
    )}
    <Submit variant="primary wide">Confirm</Submit>
  </Form>
)
