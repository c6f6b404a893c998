import { validationFailed } from '@hosting/core/problems'
import { passwordLengthMax, passwordLengthMin } from '@hosting/core/sessions'
import { changePasswordRoute } from '../../../api/routes/password.ts'
import { mayChangePassword } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { TextField } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { Card, PageHeader, LinkButton, Alert } from '../../view/components.tsx'

/** What a person without a password sees instead of a form about passwords. */
export const WithoutPassword = () => (
  <>
    <Alert title="You sign in without a password">
      Your sign-in and its second factor are managed where you sign in, outside this panel.
    </Alert>
    <div class="buttons">
      <LinkButton to="/security">Back to security</LinkButton>
    </div>
  </>
)

export const passwordPage = page({
  path: '/security/password',
  access: 'session',
  withoutSecondFactor: true,
  confirmed: true,
  async show({ caller, services }) {
    const changesPassword = await mayChangePassword(services.database.prisma, caller.user.id)
    return {
      title: 'Change password',
      body: (
        <>
          <PageHeader title="Change password" crumbs={[['Security', '/security']]}>
            Ends your other sessions and cancels device logins that are approved but not completed.
          </PageHeader>
          {changesPassword ? <ChangePassword email={caller.user.email} /> : <WithoutPassword />}
        </>
      ),
    }
  },
  actions: {
    async change({ call, form }) {
      const password = form.verbatim('new_password')
      if (password !== undefined && password !== form.verbatim('repeated_password')) {
        throw validationFailed({
          pointer: '/repeated_password',
          message: 'does not match the new password',
        })
      }
      await call(changePasswordRoute, { body: { new_password: password } })
      return { to: '/security', message: 'password_changed' }
    },
  },
})

const ChangePassword = ({ email }: { email: string | null }) => (
  <Card>
    <Form action="change">
      <input type="hidden" name="username" autocomplete="username" value={email ?? ''} />
      <TextField
        name="new_password"
        label="New password"
        hint={`At least ${passwordLengthMin} characters. Use a password manager or a long sentence.`}
        type="password"
        autocomplete="new-password"
        maxlength={passwordLengthMax}
        secret
      />
      <TextField
        name="repeated_password"
        label="Repeat new password"
        type="password"
        autocomplete="new-password"
        maxlength={passwordLengthMax}
        secret
      />
      <div class="buttons">
        <Submit>Change password</Submit>
        <LinkButton to="/security">Cancel</LinkButton>
      </div>
    </Form>
  </Card>
)
