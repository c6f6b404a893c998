import { stopImpersonationRoute } from '../../../api/routes/impersonation.ts'
import { deleteSessionRoute } from '../../../api/routes/sessions.ts'
import { page } from '../../page.ts'
import { ActionButton, RefusedAction } from '../../view/form.tsx'
import { LinkButton } from '../../view/components.tsx'

export const signOutPage = page({
  path: '/sign-out',
  access: 'session',
  withoutSecondFactor: true,
  show: () =>
    Promise.resolve({
      title: 'Sign out',
      layout: 'bare',
      body: (
        <section class="card">
          <div class="card-body stack">
            <h1>Sign out?</h1>
            <RefusedAction />
            <div class="buttons">
              <ActionButton action="sign-out" variant="primary">
                Sign out
              </ActionButton>
              <LinkButton to="/">Cancel</LinkButton>
            </div>
          </div>
        </section>
      ),
    }),
  actions: {
    async 'sign-out'({ call, services }) {
      await call(deleteSessionRoute)
      const to = services.identityProvider ? '/sign-in?signed_out=1' : '/sign-in'
      return { to, message: 'signed_out' }
    },
    async 'stop-impersonation'({ call }) {
      await call(stopImpersonationRoute)
      return { to: '/', message: 'impersonation_ended' }
    },
  },
})
