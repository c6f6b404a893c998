import { removeTotpRoute } from '../../../routes/totp.ts'
import { page } from '../../page.ts'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, Card, PageHeader, LinkButton } from '../../view/components.tsx'

export const removeAuthenticatorPage = page({
  path: '/security/authenticator/remove',
  access: 'session',
  confirmed: true,
  show: () =>
    Promise.resolve({
      title: 'Turn off two-factor authentication',
      body: (
        <>
          <PageHeader
            title="Turn off two-factor authentication?"
            crumbs={[['Security', '/security']]}
          />
          <Card>
            <Form action="remove">
              <Alert tone="warn" title="Your account will be protected only by your password">
                Anyone who knows it can sign in as you. Your recovery codes also stop working.
              </Alert>
              <div class="buttons">
                <Submit variant="danger">Turn off</Submit>
                <LinkButton to="/security">Cancel</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }),
  actions: {
    async remove({ call }) {
      await call(removeTotpRoute)
      return { to: '/security', notice: 'totp_removed' }
    },
  },
})
