import { getWebhook } from '../../endpoints.ts'
import { page } from '../../page.ts'
import { ActionButton } from '../../view/form.tsx'
import { Alert, Card, Head, LinkButton } from '../../view/parts.tsx'
import { OneTimeSecret } from '../../view/secret.tsx'
import { crumbsOf } from './crumbs.ts'

/** Where a new signing secret is shown, once: after a reload it is gone. */
export const webhookSecretPage = page({
  path: '/webhooks/:id/secret',
  access: 'webhooks.manage',
  async show({ call, params, handedOver }) {
    const { webhook } = await call(getWebhook, { params: { id: params['id']! } })
    const path = `/webhooks/${webhook.id}`
    return {
      title: 'Signing secret',
      body: (
        <>
          <Head title="The signing secret" crumbs={crumbsOf(webhook)} />
          {handedOver === undefined ? (
            <>
              <Alert tone="warn" title="The secret was shown once">
                If you did not copy it, rotate it to get a new one.
              </Alert>
              <div class="buttons">
                <LinkButton to={path} look="primary">
                  Go to the endpoint
                </LinkButton>
                <LinkButton to={`${path}/rotate`}>Rotate the secret</LinkButton>
              </div>
            </>
          ) : (
            <>
              <Alert tone="warn" title="Copy it now">
                This page shows the secret once. Your receiver needs it to tell our requests from
                forged ones.
              </Alert>
              <Card>
                <OneTimeSecret label="Signing secret" secret={handedOver}>
                  <p class="quiet">
                    Keep it where your receiver finds it, for example as <code>WEBHOOK_SECRET</code>
                    . Compute HMAC-SHA-256 over <code>timestamp.body</code> with it and compare with
                    the <code>Service-Signature</code> header.
                  </p>
                </OneTimeSecret>
              </Card>
              <div class="buttons">
                {webhook.enabled && (
                  <ActionButton action="ping" to={path}>
                    Send a test event
                  </ActionButton>
                )}
                <LinkButton to={path}>Done</LinkButton>
              </div>
            </>
          )}
        </>
      ),
    }
  },
})
