import { getWebhookRoute, updateWebhookRoute } from '../../../api/routes/webhooks.ts'
import { readEndpointAccountChoices } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { FormCard } from '../../view/form.tsx'
import { PageHeader } from '../../view/components.tsx'
import { isSameChoice } from '../account-picker.tsx'
import { endpointCrumbs } from './endpoint-header.tsx'
import { readWebhookFields, WebhookFormFields } from './fields.tsx'

export const editWebhookPage = page({
  path: '/webhooks/:id/edit',
  access: 'webhooks.manage',
  async show({ call, params, services, caller }) {
    const { webhook } = await call(getWebhookRoute, { params: { id: params.id } })
    const accounts = await readEndpointAccountChoices(services, caller)
    return {
      title: 'Edit endpoint',
      body: (
        <>
          <PageHeader title="Edit endpoint" crumbs={endpointCrumbs(webhook)} />
          <FormCard action="save" button="Save changes" cancel={`/webhooks/${webhook.id}/settings`}>
            <WebhookFormFields webhook={webhook} accounts={accounts} />
          </FormCard>
        </>
      ),
    }
  },
  actions: {
    async save({ call, params, form, services }) {
      const id = params.id
      const { webhook: before } = await call(getWebhookRoute, { params: { id } })
      const { accounts, ...fields } = readWebhookFields(form, services)
      // An account that was deleted stays in the record, but cannot be set again.
      const changed = isSameChoice(accounts, before.accounts) ? {} : { accounts }
      await call(updateWebhookRoute, { params: { id }, body: { ...fields, ...changed } })
      return { to: `/webhooks/${id}/settings`, message: 'webhook_updated' }
    },
  },
})
