import { hasPassword, listPasskeys } from '@hosting/postgres/sessions'
import { personIdOf } from '../../../http/caller.ts'
import type { Services } from '../../../services.ts'
import { passkeyRequestOptions, relyingPartyOf } from '../../../use-cases/passkey-verification.ts'
import { readTotpState } from '../../../use-cases/totp.ts'
import { confirmSessionRoute } from '../../../routes/sessions.ts'
import { page } from '../../page.ts'
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
  async show({ caller, next, refused, services, query }) {
    const reason = findSignInReason(query['reason'])
    const { isActive } = await readTotpState(services, { user: { id: personIdOf(caller) } })
    const asksForCode = isActive || refused?.code === 'totp_required'
    const person = caller.session.impersonator?.name ?? caller.user.email ?? caller.user.name
    const byPassword = await hasPassword(services.database.prisma, personIdOf(caller))
    const passkeyOptions = await findPasskeyOptions(services, personIdOf(caller))
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
              The next step is sensitive, so {byPassword ? 'enter your password' : 'sign in'} again
              {passkeyOptions && ' or use a passkey'}. You will not be asked again for 5 minutes.
            </p>
            <p>
              Signed in as <strong>{person}</strong>
            </p>
            {passkeyOptions && (
              <PasskeyForm kind="get" action="passkey" options={passkeyOptions}>
                <input type="hidden" name="next" value={next} />
                <Submit variant="wide">Confirm with a passkey</Submit>
              </PasskeyForm>
            )}
            {byPassword ? (
              <PasswordForm next={next} asksForCode={asksForCode} />
            ) : services.identityProvider || passkeyOptions ? null : (
              <Alert title="You sign in without a password">
                Go back to where you signed in, confirm your identity there, and open this panel
                again.
              </Alert>
            )}
            <ProviderLink services={services} next={next} caller={caller} />
            <LinkButton to={next === '/confirm' ? '/' : next} variant="plain wide">
              Cancel
            </LinkButton>
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
