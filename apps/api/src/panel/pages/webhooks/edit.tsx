import { getWebhookRoute, updateWebhookRoute } from '../../../routes/webhooks.ts'
import { page } from '../../page.ts'
import { Form, Submit } from '../../view/form.tsx'
import { Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { endpointCrumbs } from './crumbs.ts'
import { readWebhookFields, WebhookFormFields } from './fields.tsx'

export const editWebhookPage = page({
  path: '/webhooks/:id/edit',
  access: 'webhooks.manage',
  async show({ call, params }) {
    const { webhook } = await call(getWebhookRoute, { params: { id: params.id } })
    return {
      title: 'Edit endpoint',
      body: (
        <>
          <PageHeader title="Edit endpoint" crumbs={endpointCrumbs(webhook)} />
          <Card>
            <Form action="save">
              <WebhookFormFields webhook={webhook} />
              <div class="buttons">
                <Submit>Save changes</Submit>
                <LinkButton to={`/webhooks/${webhook.id}/settings`}>Cancel</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async save({ call, params, form, services }) {
      const id = params.id
      await call(updateWebhookRoute, { params: { id }, body: readWebhookFields(form, services) })
      return { to: `/webhooks/${id}/settings`, message: 'webhook_updated' }
    },
  },
})
