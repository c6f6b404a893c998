import { createWebhookRoute } from '../../../api/routes/webhooks.ts'
import { readEndpointAccountChoices } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { Form, Submit } from '../../view/form.tsx'
import { Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { readWebhookFields, WebhookFormFields } from './fields.tsx'

export const newWebhookPage = page({
  path: '/webhooks/new',
  access: 'webhooks.manage',
  async show({ services, caller }) {
    const accounts = await readEndpointAccountChoices(services, caller)
    return {
      title: 'Add endpoint',
      body: (
        <>
          <PageHeader title="Add endpoint" crumbs={[['Webhooks', '/webhooks']]} />
          <Card>
            <Form action="create">
              <WebhookFormFields accounts={accounts} />
              <div class="buttons">
                <Submit>Add endpoint</Submit>
                <LinkButton to="/webhooks">Cancel</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async create({ call, form, services }) {
      const body = readWebhookFields(form, services)
      const { webhook, secret } = await call(createWebhookRoute, { body })
      return { to: `/webhooks/${webhook.id}/secret`, flashSecret: { text: secret, seconds: 60 } }
    },
  },
})
