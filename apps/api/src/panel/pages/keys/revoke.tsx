import { getKeyRoute, revokeKeyRoute } from '../../../routes/api-keys.ts'
import { page } from '../../page.ts'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, Card, DescriptionList, PageHeader, LinkButton } from '../../view/components.tsx'
import { Time } from '../../view/time.tsx'
import { crumbsOf } from './crumbs.ts'

export const revokeKeyPage = page({
  path: '/keys/:id/revoke',
  access: 'apikeys.create',
  redirectsRejected: true,
  async show({ call, params }) {
    const { key } = await call(getKeyRoute, { params: { id: params['id']! } })
    return {
      title: `Revoke ${key.name}`,
      body: (
        <>
          <PageHeader title="Revoke this key?" crumbs={crumbsOf(key)} />
          <Card>
            <Form action="revoke">
              <Alert tone="bad" title="This cannot be undone">
                The key stops working immediately. Programs that use it will fail to authenticate.
              </Alert>
              <DescriptionList
                items={[
                  ['Name', <bdi>{key.name}</bdi>],
                  ['Key ID', <code>{key.id}</code>],
                  ['Last used', <Time at={key.last_used_at} />],
                  ['Requests today', key.requests_today.toLocaleString('en')],
                ]}
              />
              <div class="buttons">
                <Submit variant="danger">Revoke key</Submit>
                <LinkButton to={`/keys/${key.id}`}>Cancel</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async revoke({ call, params }) {
      const id = params['id']!
      await call(revokeKeyRoute, { params: { id } })
      return { to: `/keys/${id}`, notice: 'key_revoked' }
    },
  },
})
