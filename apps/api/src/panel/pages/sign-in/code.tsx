import { Problem } from '@hosting/core/problems'
import { completeSignIn, isPending } from '../../../api/for-pages.ts'
import { openPage } from '../../page.ts'
import { TextField } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, LinkButton } from '../../view/components.tsx'

/** The second step of sign-in: asks for the authenticator code after a correct password. */
export const signInCodePage = openPage({
  path: '/sign-in/code',
  keepsFlashSecret: true,
  async show({ flashSecret, next, services }) {
    const start = `/sign-in?${new URLSearchParams({ next })}`
    return {
      title: 'Enter your code',
      layout: 'bare',
      body: (
        <section class="card">
          <div class="card-body stack">
            <h1>Enter your code</h1>
            {flashSecret === undefined || !(await isPending(services, flashSecret)) ? (
              <>
                <Alert tone="warn" title="Sign-in timed out">
                  Start again with your password.
                </Alert>
                <LinkButton to={start} variant="primary wide">
                  Sign in
                </LinkButton>
              </>
            ) : (
              <Form action="verify" wrongCredentials="The code is wrong, expired or already used.">
                <input type="hidden" name="next" value={next} />
                <TextField
                  name="totp_code"
                  label="Code"
                  hint="The six digits from your authenticator app, or a recovery code."
                  variant="mono"
                  autocomplete="one-time-code"
                  inputmode="text"
                  spellcheck={false}
                  autofocus
                  secret
                />
                <Submit variant="primary wide">Verify</Submit>
                <a class="standalone" href={start}>
                  Sign in as someone else
                </a>
              </Form>
            )}
          </div>
        </section>
      ),
    }
  },
  actions: {
    async verify({ form, next, flashSecret: token, services, signInContext }) {
      if (token === undefined) throw new Problem('invalid_credentials')
      const code = form.text('totp_code') ?? ''
      const { headers } = await completeSignIn(services, signInContext, { token, code })
      return { to: next, headers }
    },
  },
})
