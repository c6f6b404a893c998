import { createWebhookRoute } from '../../../api/routes/webhooks.ts'
import { readEndpointAccountChoices } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { FormCard } from '../../view/form.tsx'
import { PageHeader } from '../../view/components.tsx'
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
          <FormCard action="create" button="Add endpoint" cancel="/webhooks">
            <WebhookFormFields accounts={accounts} />
          </FormCard>
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
