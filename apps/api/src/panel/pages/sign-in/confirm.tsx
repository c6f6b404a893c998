import { readTotpState } from '../../../use-cases/totp.ts'
import { confirmSessionRoute } from '../../../routes/sessions.ts'
import { page } from '../../page.ts'
import { TextField } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { LinkButton } from '../../view/components.tsx'

/** The step-up: a signed-in person confirms their identity and returns to where they were. */
export const confirmPage = page({
  path: '/confirm',
  access: 'session',
  async show({ caller, next, refused, services }) {
    const { isActive } = await readTotpState(services, caller)
    const asksForCode =
      isActive || refused?.code === 'totp_required' || refused?.form.text('totp_code') !== undefined
    const person = caller.session.impersonator?.name ?? caller.user.email ?? caller.user.name
    return {
      title: 'Confirm your identity',
      layout: 'bare',
      body: (
        <section class="card">
          <div class="card-body stack">
            <h1>Confirm your identity</h1>
            <p class="quiet">
              The next step is sensitive, so enter your password again. You will not be asked for
              the next 5 minutes.
            </p>
            <Form action="confirm">
              <input type="hidden" name="next" value={next} />
              <p>
                Signed in as <strong>{person}</strong>
              </p>
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
              <LinkButton to={next === '/confirm' ? '/' : next} variant="plain wide">
                Cancel
              </LinkButton>
            </Form>
          </div>
        </section>
      ),
    }
  },
  actions: {
    async confirm({ call, form, next }) {
      await call(confirmSessionRoute, {
        body: { password: form.verbatim('password'), totp_code: form.text('totp_code') },
      })
      return { to: next }
    },
  },
})
