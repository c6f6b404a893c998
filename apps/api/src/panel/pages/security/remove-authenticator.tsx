import { removeTotp } from '../../endpoints.ts'
import { page } from '../../page.ts'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, Card, Head, LinkButton } from '../../view/parts.tsx'

export const removeAuthenticatorPage = page({
  path: '/security/authenticator/remove',
  access: 'session',
  confirmed: true,
  show: () =>
    Promise.resolve({
      title: 'Remove the authenticator',
      body: (
        <>
          <Head title="Remove the authenticator?" crumbs={[['Security', '/security']]} />
          <Card>
            <Form action="remove">
              <Alert tone="warn" title="Your password alone will do then">
                Whoever learns it can sign in as you. The recovery codes end too.
              </Alert>
              <div class="buttons">
                <Submit look="danger">Remove authenticator</Submit>
                <LinkButton to="/security">Keep it</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }),
  actions: {
    async remove({ call }) {
      await call(removeTotp)
      return { to: '/security', notice: 'totp_removed' }
    },
  },
})
