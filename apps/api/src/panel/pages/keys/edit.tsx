import { getKeyRoute, updateKeyRoute } from '../../../routes/api-keys.ts'
import { readKeyPolicy } from '../../../use-cases/key-policy.ts'
import { page } from '../../page.ts'
import { Form, Submit } from '../../view/form.tsx'
import { Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { crumbsOf } from './crumbs.ts'
import { KeyFields, readKeyFields } from './fields.tsx'

export const editKeyPage = page({
  path: '/keys/:id/edit',
  access: 'apikeys.create',
  redirectsRejected: true,
  async show({ call, params, services, caller }) {
    const policy = await readKeyPolicy(services, caller)
    const { key } = await call(getKeyRoute, { params: { id: params['id']! } })
    return {
      title: `Edit ${key.name}`,
      body: (
        <>
          <PageHeader title="Edit key" crumbs={crumbsOf(key)}>
            Changes apply from the next request. The token stays the same.
          </PageHeader>
          <Card>
            <Form action="save">
              <KeyFields record={key} policy={policy} />
              <div class="buttons">
                <Submit>Save changes</Submit>
                <LinkButton to={`/keys/${key.id}`}>Cancel</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async save({ call, params, form }) {
      const { key } = await call(updateKeyRoute, {
        params: { id: params['id']! },
        body: readKeyFields(form),
      })
      return { to: `/keys/${key.id}`, notice: 'key_updated' }
    },
  },
})
