import { recoverRoute } from '../../../routes/webhook-recoveries.ts'
import { getWebhookRoute } from '../../../routes/webhooks.ts'
import { page } from '../../page.ts'
import { Radios } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { crumbsOf } from './crumbs.ts'

const hourMs = 3_600_000

const spans: Readonly<Record<string, number>> = {
  '1h': hourMs,
  '24h': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
  '30d': 30 * 24 * hourMs,
}

export const recoverPage = page({
  path: '/webhooks/:id/recover',
  access: 'webhooks.manage',
  async show({ call, params }) {
    const { webhook } = await call(getWebhookRoute, { params: { id: params['id']! } })
    return {
      title: 'Recover failed deliveries',
      body: (
        <>
          <PageHeader title="Recover failed deliveries" crumbs={crumbsOf(webhook)}>
            Use this after an outage of your receiver. Every failed delivery in the time range is
            sent again as a new delivery of the same event, at a steady rate.
          </PageHeader>
          <Card>
            <Form action="recover">
              <Radios
                name="since"
                label="Time range"
                value="24h"
                choices={[
                  { value: '1h', label: 'Last hour' },
                  { value: '24h', label: 'Last 24 hours' },
                  { value: '7d', label: 'Last 7 days' },
                  { value: '30d', label: 'Last 30 days' },
                ]}
              />
              <div class="buttons">
                <Submit>Recover</Submit>
                <LinkButton to={`/webhooks/${webhook.id}`}>Cancel</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async recover({ call, params, form, now }) {
      const id = params['id']!
      const span = form.text('since') ?? ''
      const spanMs = Object.hasOwn(spans, span) ? spans[span]! : undefined
      const result = await call(recoverRoute, {
        params: { id },
        body: {
          since: spanMs === undefined ? span : new Date(now.getTime() - spanMs).toISOString(),
        },
      })
      if (!('recovery' in result)) throw new Error('the recovery was a dry run')
      return { to: `/webhooks/${id}/recoveries/${result.recovery.id}` }
    },
  },
})
