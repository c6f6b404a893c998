import { getKeyRoute, rotateKeyRoute } from '../../../routes/api-keys.ts'
import { page } from '../../page.ts'
import { Form, Submit } from '../../view/form.tsx'
import { OverlapPicker } from '../../view/overlap-picker.tsx'
import { Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { crumbsOf } from './crumbs.ts'

export const rotateKeyPage = page({
  path: '/keys/:id/rotate',
  access: 'apikeys.create',
  confirmed: true,
  async show({ call, params }) {
    const { key } = await call(getKeyRoute, { params: { id: params['id']! } })
    return {
      title: `Rotate ${key.name}`,
      body: (
        <>
          <PageHeader title="Rotate key" crumbs={crumbsOf(key)}>
            Creates a new token for the key. Its ID, scopes and settings stay the same.
          </PageHeader>
          <Card>
            <Form action="rotate">
              <OverlapPicker what="token" />
              <div class="buttons">
                <Submit>Rotate key</Submit>
                <LinkButton to={`/keys/${key.id}`}>Cancel</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async rotate({ call, params, form }) {
      const { key, token } = await call(rotateKeyRoute, {
        params: { id: params['id']! },
        body: { grace_seconds: form.number('grace_seconds') },
      })
      return { to: `/keys/${key.id}/token`, flashSecret: { text: token, seconds: 60 } }
    },
  },
})
