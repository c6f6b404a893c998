import { notFound } from '@hosting/core/problems'
import { listPasskeysRoute, removePasskeyRoute } from '../../../api/routes/passkeys.ts'
import { page } from '../../page.ts'
import { ConfirmationPage } from '../../view/confirmation.tsx'
import { Time } from '../../view/time.tsx'

export const removePasskeyPage = page({
  path: '/security/passkeys/:id/remove',
  access: 'session',
  withoutSecondFactor: 'first',
  confirmed: true,
  async show({ call, params }) {
    const { items } = await call(listPasskeysRoute)
    const passkey = items.find(({ id }) => id === params.id)
    if (!passkey) throw notFound()
    return {
      title: 'Remove passkey',
      body: (
        <ConfirmationPage
          title="Remove this passkey?"
          crumbs={[['Security', '/security']]}
          action="remove"
          consequence={[
            'You can no longer sign in with it',
            'Your password and your other passkeys keep working. Also delete the passkey where it is kept: on the device or in the password manager.',
          ]}
          facts={[
            ['Name', <bdi>{passkey.name}</bdi>],
            ['Added', <Time at={passkey.created_at} />],
            ['Last used', <Time at={passkey.last_used_at} />],
          ]}
          isFinal
          button="Remove passkey"
          cancel="/security"
        />
      ),
    }
  },
  actions: {
    async remove({ call, params }) {
      await call(removePasskeyRoute, { params: { id: params.id } })
      return { to: '/security', message: 'passkey_removed' }
    },
  },
})
