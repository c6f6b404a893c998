import { page } from '../../page.ts'
import { Icon } from '../../view/icon.tsx'
import { Alert, Card, Head, LinkButton } from '../../view/parts.tsx'

/** Where new recovery codes are shown, once. */
export const recoveryCodesPage = page({
  path: '/security/recovery-codes',
  access: 'session',
  show: ({ handedOver }) =>
    Promise.resolve({
      title: 'Recovery codes',
      body: (
        <>
          <Head title="Recovery codes" crumbs={[['Security', '/security']]} />
          {handedOver === undefined ? (
            <Alert tone="warn" title="The codes were shown once">
              To get new ones, remove the authenticator and set it up again.
            </Alert>
          ) : (
            <>
              <Alert tone="ok" title="The authenticator is active">
                Keep these codes somewhere safe. Each signs you in once in place of a code, should
                you lose your phone. This page shows them once.
              </Alert>
              <Card title="Your recovery codes">
                <div class="secret">
                  <pre id="codes">{handedOver}</pre>
                  <div class="buttons">
                    <button type="button" class="button primary" data-copy="codes" hidden>
                      <Icon name="copy" />
                      Copy
                    </button>
                    <span id="codes-copied" class="quiet" role="status" />
                  </div>
                </div>
              </Card>
            </>
          )}
          <div class="buttons">
            <LinkButton to="/security">Done</LinkButton>
          </div>
        </>
      ),
    }),
})
