import { keyNameLengthMax } from '@hosting/core/api-keys'
import { describeAgent } from '@hosting/core/text'
import { createPasskeyRoute } from '../../../api/routes/passkeys.ts'
import { passkeyCreationOptions } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { Alert, Card, LinkButton, PageHeader } from '../../view/components.tsx'
import { TextField } from '../../view/fields.tsx'
import { Submit } from '../../view/form.tsx'
import { PasskeyForm, readPasskey } from '../../view/passkey-form.tsx'

export const newPasskeyPage = page({
  path: '/security/passkeys/new',
  access: 'session',
  withoutSecondFactor: 'first',
  confirmed: true,
  async show({ services, caller, signInContext }) {
    const options = await passkeyCreationOptions(services, caller)
    return {
      title: 'Add a passkey',
      body: (
        <>
          <PageHeader title="Add a passkey" crumbs={[['Security', '/security']]}>
            Your browser asks where to keep it: on this device, on your phone, in a password manager
            or on a security key.
          </PageHeader>
          <Card>
            <PasskeyForm kind="create" action="add" options={options}>
              <TextField
                name="name"
                label="Name"
                hint="To recognize the passkey by, for example when you lose the device."
                value={describeAgent(signInContext.userAgent)}
                maxlength={keyNameLengthMax}
              />
              <div class="buttons">
                <Submit>Create passkey</Submit>
                <LinkButton to="/security">Cancel</LinkButton>
              </div>
            </PasskeyForm>
            <div class="stack" data-without-passkeys>
              <Alert tone="warn" title="This browser cannot create a passkey here">
                Passkeys need a current browser with JavaScript, and the address {options.rp.id}.
                You can set up an authenticator app instead.
              </Alert>
              <div class="buttons">
                <LinkButton to="/security">Back to security</LinkButton>
              </div>
            </div>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async add({ call, form }) {
      const body = { name: form.text('name'), credential: readPasskey(form) }
      await call(createPasskeyRoute, { body })
      return { to: '/security', message: 'passkey_added' }
    },
  },
})
