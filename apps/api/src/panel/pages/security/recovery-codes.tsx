import { page } from '../../page.ts'
import { Icon } from '../../view/icon.tsx'
import { Alert, Card, PageHeader, LinkButton } from '../../view/components.tsx'

/** Shows new recovery codes once. */
export const recoveryCodesPage = page({
  path: '/security/recovery-codes',
  access: 'session',
  withoutSecondFactor: true,
  show: ({ flashSecret }) =>
    Promise.resolve({
      title: 'Recovery codes',
      body: (
        <>
          <PageHeader title="Recovery codes" crumbs={[['Security', '/security']]} />
          {flashSecret === undefined ? (
            <Alert tone="warn" title="The recovery codes are no longer available">
              They are shown only once. To get new codes, turn two-factor authentication off and on
              again.
            </Alert>
          ) : (
            <>
              <Alert tone="ok" title="Two-factor authentication is on">
                Store these codes in a safe place. If you lose your phone, each can be used once
                instead of an authenticator code. They are shown only once.
              </Alert>
              <Card title="Your recovery codes">
                <div class="secret">
                  <pre id="codes">{flashSecret}</pre>
                  <div class="buttons">
                    <button type="button" class="button primary" data-copy="codes" hidden>
                      <Icon name="copy" />
                      Copy
                    </button>
                    <a
                      class="button"
                      download="recovery-codes.txt"
                      href={`data:text/plain,${encodeURIComponent(`${flashSecret}\n`)}`}
                    >
                      Download
                    </a>
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
