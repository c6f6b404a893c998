import { getKey } from '../../endpoints.ts'
import { page } from '../../page.ts'
import { Alert, Card, Head, LinkButton } from '../../view/parts.tsx'
import { OneTimeSecret } from '../../view/secret.tsx'
import { crumbsOf } from './crumbs.ts'

/** Where a new token is shown, once: after a reload it is gone. */
export const keyTokenPage = page({
  path: '/keys/:id/token',
  access: 'apikeys.create',
  async show({ call, params, handedOver }) {
    const { key } = await call(getKey, { params: { id: params['id']! } })
    return {
      title: 'Token',
      body: (
        <>
          <Head title="Your new token" crumbs={crumbsOf(key)} />
          {handedOver === undefined ? (
            <>
              <Alert tone="warn" title="The token was shown once, and is not kept">
                If you did not copy it, rotate the key to get a new one.
              </Alert>
              <div class="buttons">
                <LinkButton to={`/keys/${key.id}`} look="primary">
                  Go to the key
                </LinkButton>
                <LinkButton to={`/keys/${key.id}/rotate`}>Rotate it</LinkButton>
              </div>
            </>
          ) : (
            <>
              <Alert tone="warn" title="Copy it now">
                This page shows the token once. We keep only a hash of it, so nobody can show it
                again.
              </Alert>
              <Card>
                <OneTimeSecret label={`Token of ${key.name}`} secret={handedOver}>
                  <p class="quiet">Programs send it with every request:</p>
                  <pre>
                    <code>Authorization: Bearer &lt;token&gt;</code>
                  </pre>
                </OneTimeSecret>
              </Card>
              <div class="buttons">
                <LinkButton to={`/keys/${key.id}`}>Done</LinkButton>
              </div>
            </>
          )}
        </>
      ),
    }
  },
})
