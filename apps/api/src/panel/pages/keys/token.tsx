import { getKeyRoute } from '../../../api/routes/api-keys.ts'
import { page } from '../../page.ts'
import { Alert, Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { OneTimeSecret } from '../../view/copyable.tsx'
import { keyCrumbs } from './key-header.tsx'

/** Shows a new token once. After a reload it is gone. */
export const keyTokenPage = page({
  path: '/keys/:id/token',
  access: 'apikeys.create',
  async show({ call, params, flashSecret }) {
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    return {
      title: 'Token',
      body: (
        <>
          <PageHeader title="New token" crumbs={keyCrumbs(key)} />
          {flashSecret === undefined ? (
            <>
              <Alert tone="warn" title="The token is no longer available">
                A token is shown only once. If you did not copy it, rotate the key to get a new one.
              </Alert>
              <div class="buttons">
                <LinkButton to={`/keys/${key.id}`} variant="primary">
                  Go to key
                </LinkButton>
                <LinkButton to={`/keys/${key.id}/rotate`}>Rotate key</LinkButton>
              </div>
            </>
          ) : (
            <>
              <Alert tone="warn" title="Copy the token now">
                It is shown only once. We store only a hash, so it cannot be displayed again.
              </Alert>
              <Card>
                <OneTimeSecret label={`Token for ${key.name}`} secret={flashSecret}>
                  <p class="quiet">Send it with every request:</p>
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
