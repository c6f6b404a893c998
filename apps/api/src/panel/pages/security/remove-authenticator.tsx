import { removeTotpRoute } from '../../../api/routes/totp.ts'
import { page } from '../../page.ts'
import { ConfirmationPage } from '../../view/confirmation.tsx'

export const removeAuthenticatorPage = page({
  path: '/security/authenticator/remove',
  access: 'session',
  withoutSecondFactor: 'first',
  confirmed: true,
  show: () =>
    Promise.resolve({
      title: 'Turn off two-factor authentication',
      body: (
        <ConfirmationPage
          title="Turn off two-factor authentication?"
          crumbs={[['Security', '/security']]}
          action="remove"
          consequence={[
            'Your account will be protected only by your password',
            'Anyone who knows it can sign in as you. Your recovery codes also stop working.',
          ]}
          button="Turn off"
          cancel="/security"
        />
      ),
    }),
  actions: {
    async remove({ call }) {
      await call(removeTotpRoute)
      return { to: '/security', message: 'totp_removed' }
    },
  },
})
