import { deleteWebhookRoute, getWebhookRoute } from '../../../routes/webhooks.ts'
import { page } from '../../page.ts'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, Card, DescriptionList, PageHeader, LinkButton } from '../../view/components.tsx'
import { Time } from '../../view/time.tsx'
import { waitingText } from '../../view/waiting.ts'
import { crumbsOf } from './crumbs.ts'

export const deleteWebhookPage = page({
  path: '/webhooks/:id/delete',
  access: 'webhooks.manage',
  async show({ call, params }) {
    const { webhook } = await call(getWebhookRoute, { params: { id: params['id']! } })
    return {
      title: 'Delete endpoint',
      body: (
        <>
          <PageHeader title="Delete this endpoint?" crumbs={crumbsOf(webhook)} />
          <Card>
            <Form action="delete">
              <Alert tone="bad" title="This cannot be undone">
                Waiting deliveries fail. The delivery history is kept for 30 days. To pause
                deliveries instead, disable the endpoint.
              </Alert>
              <DescriptionList
                items={[
                  ['URL', webhook.url],
                  ['Waiting deliveries', waitingText(webhook.waiting_deliveries)],
                  ['Last success', <Time at={webhook.last_success_at} />],
                ]}
              />
              <div class="buttons">
                <Submit variant="danger">Delete endpoint</Submit>
                <LinkButton to={`/webhooks/${webhook.id}`}>Cancel</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async delete({ call, params }) {
      await call(deleteWebhookRoute, { params: { id: params['id']! } })
      return { to: '/webhooks', notice: 'webhook_deleted' }
    },
  },
})
