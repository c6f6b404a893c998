import { pendingSignInMs } from '@hosting/core/sessions'
import { createSessionRoute } from '../../../api/routes/sessions.ts'
import { createPendingSignIn, offerPasskey, CodeRequired } from '../../../api/for-pages.ts'
import { openPage, type PageRequest, type View } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { TextField } from '../../view/fields.tsx'
import { Form, Submit, RefusedAction } from '../../view/form.tsx'
import { Alert, LinkButton } from '../../view/components.tsx'
import { PasskeyForm, readPasskey } from '../../view/passkey-form.tsx'
import { ProviderLink } from './oidc.tsx'
import { findSignInReason, signInReasons, type SignInReason } from './reasons.ts'

export const signInPage = openPage({
  path: '/sign-in',
  show: (pageRequest) => signInView(pageRequest, findSignInReason(pageRequest.query['reason'])),
  actions: {
    async passkey({ form, call, next }) {
      await call(createSessionRoute, { body: { passkey: readPasskey(form) } })
      return { to: next }
    },
    async 'sign-in'({ form, call, next, services }) {
      const credentials = { email: form.text('email'), password: form.verbatim('password') }
      try {
        await call(createSessionRoute, { body: credentials })
        return { to: next }
      } catch (error) {
        if (!(error instanceof CodeRequired)) throw error
        return {
          to: `/sign-in/code?${new URLSearchParams({ next })}`,
          flashSecret: {
            text: await createPendingSignIn(services, error),
            seconds: pendingSignInMs / 1_000,
          },
        }
      }
    },
  },
})

/** The sign-in form, with the reason why the person is here, if there is one. */
export async function signInView(
  {
    caller,
    ip,
    next,
    query,
    services,
  }: Pick<PageRequest, 'caller' | 'ip' | 'next' | 'query' | 'services'>,
  reason: SignInReason | undefined,
): Promise<View> {
  const passkeyOptions = await offerPasskey(services, ip)
  return {
    title: 'Sign in',
    layout: 'bare',
    body: (
      <section class="card">
        <div class="card-body stack">
          <h1>Sign in</h1>
          {reason !== undefined && (
            <Alert tone="warn" title={signInReasons[reason].title} live>
              {signInReasons[reason].text}
            </Alert>
          )}
          {caller && (
            <Alert title={`You are signed in as ${caller.user.name}`}>
              <LinkButton to={next} variant="small">
                Continue as {caller.user.name}
              </LinkButton>
            </Alert>
          )}
          {query['signed_out'] !== undefined && services.identityProvider && (
            <Alert>
              You may still be signed in at the identity provider.{' '}
              <a href="/sign-in/oidc/sign-out">Sign out there as well</a>
            </Alert>
          )}
          {next.startsWith('/device') && <Alert>Sign in to review the access request.</Alert>}
          <ProviderLink services={services} next={next} />
          {passkeyOptions ? (
            <PasskeySignIn options={passkeyOptions} next={next} />
          ) : (
            <RefusedPasskey />
          )}
          <PasswordForm next={next} />
          <ForgottenPassword supportUrl={services.config.supportUrl} />
        </div>
      </section>
    ),
  }
}

const PasskeySignIn = ({
  options,
  next,
}: {
  options: NonNullable<Awaited<ReturnType<typeof offerPasskey>>>
  next: string
}) => (
  <PasskeyForm
    kind="get"
    action="passkey"
    to={`/sign-in?${new URLSearchParams({ next })}`}
    options={options}
    autofill={usePage().refused?.action !== 'passkey'}
  >
    <input type="hidden" name="next" value={next} />
    <Submit variant="wide">Sign in with a passkey</Submit>
  </PasskeyForm>
)

/** Why a passkey was refused, on a page that offers none. */
const RefusedPasskey = () => (usePage().refused?.action === 'passkey' ? <RefusedAction /> : null)

const PasswordForm = ({ next }: { next: string }) => (
  <Form action="sign-in" to={`/sign-in?${new URLSearchParams({ next })}`}>
    <input type="hidden" name="next" value={next} />
    <TextField
      name="email"
      label="Email address"
      type="email"
      inputmode="email"
      autocomplete="username webauthn"
      autocapitalize="none"
      spellcheck={false}
      autofocus
    />
    <TextField
      name="password"
      label="Password"
      type="password"
      autocomplete="current-password"
      secret
    />
    <Submit variant="primary wide">Sign in</Submit>
  </Form>
)

const ForgottenPassword = ({ supportUrl }: { supportUrl: string | undefined }) => (
  <p class="quiet">
    Forgot your password?{' '}
    {supportUrl === undefined ? (
      'Ask the company that gave you access.'
    ) : (
      <a href={supportUrl}>Contact support</a>
    )}
  </p>
)
