import { getKeyRoute } from '../../../api/routes/api-keys.ts'
import { page } from '../../page.ts'
import { ConfirmationPage } from '../../view/confirmation.tsx'
import { Time } from '../../view/time.tsx'
import { keyCrumbs } from './key-header.tsx'

export const disableKeyPage = page({
  path: '/keys/:id/disable',
  access: 'apikeys.create',
  async show({ call, params }) {
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    return {
      title: `Disable ${key.name}`,
      body: (
        <ConfirmationPage
          title="Disable this key?"
          crumbs={keyCrumbs(key)}
          action="disable"
          to={`/keys/${key.id}`}
          consequence={[
            'Programs that use the key will fail to authenticate',
            'All requests with it are rejected until you enable the key again.',
          ]}
          facts={[
            ['Name', <bdi>{key.name}</bdi>],
            ['Key ID', <code>{key.id}</code>],
            ['Last used', <Time at={key.last_used_at} />],
            ['Requests today', key.requests_today.toLocaleString('en')],
          ]}
          button="Disable key"
          cancel={`/keys/${key.id}`}
        />
      ),
    }
  },
})
