import { Problem } from '@hosting/core'
import { createSessionRoute } from '../../../routes/sessions.ts'
import { openPage, type PageRequest, type View } from '../../page.ts'
import { TextField } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, LinkButton } from '../../view/components.tsx'
import { ProviderLink } from './oidc.tsx'
import { findSignInReason, signInReasons, type SignInReason } from './reasons.ts'

/** How long a person may take to enter the authenticator code, in seconds. */
const codeSeconds = 300

export const signInPage = openPage({
  path: '/sign-in',
  show: (pageRequest) =>
    Promise.resolve(signInView(pageRequest, findSignInReason(pageRequest.query['reason']))),
  actions: {
    async 'sign-in'({ form, call, next }) {
      const credentials = { email: form.text('email'), password: form.verbatim('password') }
      try {
        await call(createSessionRoute, { body: credentials })
        return { to: next }
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'totp_required') throw error
        return {
          to: `/sign-in/code?${new URLSearchParams({ next })}`,
          flashSecret: { text: JSON.stringify(credentials), seconds: codeSeconds },
        }
      }
    },
  },
})

/** The sign-in form, with the reason why the person is here, if there is one. */
export const signInView = (
  { caller, next, query, services }: Pick<PageRequest, 'caller' | 'next' | 'query' | 'services'>,
  reason: SignInReason | undefined,
): View => ({
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
        <Form action="sign-in" to={`/sign-in?${new URLSearchParams({ next })}`}>
          <input type="hidden" name="next" value={next} />
          <TextField
            name="email"
            label="Email address"
            type="email"
            inputmode="email"
            autocomplete="username"
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
      </div>
    </section>
  ),
})
