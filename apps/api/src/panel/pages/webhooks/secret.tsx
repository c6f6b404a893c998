import { getEndpointRoute } from '../../../api/routes/webhooks.ts'
import { page } from '../../page.ts'
import { ActionButton } from '../../view/form.tsx'
import { Alert, Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { OneTimeSecret } from '../../view/copyable.tsx'
import { endpointCrumbs } from './endpoint-header.tsx'
import { VerificationSnippets } from './first-event.tsx'

/** Shows a new signing secret once. After a reload it is gone. */
export const endpointSecretPage = page({
  path: '/webhooks/:id/secret',
  access: 'webhooks.manage',
  async show({ call, params, flashSecret }) {
    const { webhook: endpoint } = await call(getEndpointRoute, { params: { id: params.id } })
    const path = `/webhooks/${endpoint.id}`
    return {
      title: 'Signing secret',
      body: (
        <>
          <PageHeader title="Signing secret" crumbs={endpointCrumbs(endpoint)} />
          {flashSecret === undefined ? (
            <>
              <Alert tone="warn" title="The secret is no longer available">
                A secret is shown only once. If you did not copy it, rotate it to get a new one.
              </Alert>
              <div class="buttons">
                <LinkButton to={path} variant="primary">
                  Go to endpoint
                </LinkButton>
                <LinkButton to={`${path}/rotate`}>Rotate secret</LinkButton>
              </div>
            </>
          ) : (
            <>
              <Alert tone="warn" title="Copy the secret now">
                It is shown only once. Your receiver needs it to verify that requests come from us.
              </Alert>
              <Card>
                <OneTimeSecret label="Signing secret" secret={flashSecret}>
                  <p class="quiet">
                    Make it available to your receiver, for example in the environment variable{' '}
                    <code>WEBHOOK_SECRET</code>.
                  </p>
                </OneTimeSecret>
              </Card>
              <VerificationSnippets endpoint={endpoint} />
              <div class="buttons">
                {endpoint.enabled && (
                  <ActionButton action="ping" to={path}>
                    Send test event
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
