import { getWebhookRoute, rotateSecretRoute } from '../../../api/routes/webhooks.ts'
import { page } from '../../page.ts'
import { Form, Submit } from '../../view/form.tsx'
import {
  ConfirmWithoutOverlap,
  isWithoutOverlap,
  mustConfirmOverlap,
  OverlapPicker,
  withoutOverlapUrl,
} from '../../view/overlap-picker.tsx'
import { Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { endpointCrumbs } from './crumbs.ts'

export const rotateSecretPage = page({
  path: '/webhooks/:id/rotate',
  access: 'webhooks.manage',
  confirmed: true,
  async show({ call, params, query }) {
    const { webhook } = await call(getWebhookRoute, { params: { id: params.id } })
    if (isWithoutOverlap(query)) {
      const path = `/webhooks/${webhook.id}/rotate`
      return {
        title: 'Rotate without an overlap period',
        body: (
          <ConfirmWithoutOverlap
            what="secret"
            crumbs={endpointCrumbs(webhook)}
            path={path}
            consequence="Requests are signed with the new secret only. Your receiver rejects them until it has the new secret."
          />
        ),
      }
    }
    return {
      title: 'Rotate signing secret',
      body: (
        <>
          <PageHeader title="Rotate signing secret" crumbs={endpointCrumbs(webhook)}>
            During the overlap period every request carries a signature for each valid secret, so
            your receiver keeps working.
          </PageHeader>
          <Card>
            <Form action="rotate">
              <OverlapPicker what="secret" />
              <div class="buttons">
                <Submit>Rotate secret</Submit>
                <LinkButton to={`/webhooks/${webhook.id}`}>Cancel</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async rotate({ call, params, form }) {
      const id = params.id
      if (mustConfirmOverlap(form)) return { to: withoutOverlapUrl(`/webhooks/${id}/rotate`) }
      const { secret } = await call(rotateSecretRoute, {
        params: { id },
        body: { grace_seconds: form.number('grace_seconds') },
      })
      return { to: `/webhooks/${id}/secret`, flashSecret: { text: secret, seconds: 60 } }
    },
  },
})
