import { hourMs } from '@hosting/core/clock'
import { readFileSync } from 'node:fs'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { usePage } from '../../view/context.ts'
import { Alert, Card, LinkButton } from '../../view/components.tsx'
import { CopyButton } from '../../view/copyable.tsx'

/** The code of the webhook guide by language. `npm run generate` writes the file. */
const snippets = JSON.parse(
  readFileSync(new URL('../../../../assets/verify-snippets.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, string>>

/** How to verify a request, in the reader's language. */
export function VerificationSnippets({ endpoint }: { endpoint: EndpointRecord }) {
  const { brand } = usePage()
  return (
    <Card
      title="Verify requests"
      aside={
        <div class="buttons">
          <LinkButton to={`/docs/quickstart/typescript?webhook_id=${endpoint.id}`} variant="small">
            Quickstart
          </LinkButton>
          <LinkButton to="/docs/webhooks" variant="small">
            Webhook guide
          </LinkButton>
        </div>
      }
    >
      <div class="stack">
        <p class="quiet">
          Only the signature proves that a request comes from us. Choose the language of your
          receiver.
          {endpoint.standard_webhooks &&
            ' With Standard Webhooks, you can use a library of standardwebhooks.com instead.'}
        </p>
        {Object.entries(snippets).map(([language, code], index) => (
          <details key={language} class="details" name="language" open={index === 0}>
            <summary>{language}</summary>
            <div>
              <CopyButton of={`snippet-${index}`} name={`the ${language} code`} />
              {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
              <pre id={`snippet-${index}`} tabIndex={0} aria-label={`Verification in ${language}`}>
                {brand.rename(code)}
              </pre>
            </div>
          </details>
        ))}
      </div>
    </Card>
  )
}

/** How long a new endpoint shows that its first event has arrived, in ms. */
const newForMs = hourMs

/** Between updates of a page that waits for the first event, in ms. */
export const firstEventUpdateMs = 2_000

/** Whether no attempt was made yet, so the page waits for the first. */
export const isWaitingForFirst = (endpoint: EndpointRecord): boolean =>
  endpoint.enabled && endpoint.last_success_at === null && endpoint.last_failure_at === null

/** Whether the page says already why no event arrives: the endpoint is disabled or failing. */
const isExplained = ({ enabled, health }: EndpointRecord): boolean =>
  !enabled || health.state === 'failing'

/**
 * The check of a new endpoint, and its result.
 *
 * @param isKept - whether the result is shown for every endpoint, not only for new ones.
 */
export function FirstEvent({
  endpoint,
  isKept = false,
}: {
  endpoint: EndpointRecord
  isKept?: boolean
}) {
  const { now } = usePage()
  const isWaiting = isWaitingForFirst(endpoint)
  const isNew = now.getTime() - endpoint.created_at.getTime() <= newForMs
  const hasResult = endpoint.last_success_at !== null || endpoint.last_failure_at !== null
  const showsResult = hasResult && (isKept || (isNew && !isExplained(endpoint)))
  if (!isWaiting && !showsResult) return null
  return isWaiting ? (
    <Alert tone="info" title="Waiting for your first event">
      No request has been sent to this endpoint yet. Send a test event, or wait for the first event
      that it subscribes to.
    </Alert>
  ) : (
    <FirstResult endpoint={endpoint} />
  )
}

const FirstResult = ({ endpoint: { id, last_success_at } }: { endpoint: EndpointRecord }) => {
  const path = `/webhooks/${id}/deliveries`
  return last_success_at === null ? (
    <Alert tone="bad" title="The first event has not arrived">
      Your receiver did not accept the request. <a href={path}>View deliveries</a> to see why.
    </Alert>
  ) : (
    <Alert tone="ok" title="Your endpoint has received its first event">
      <a class="standalone" href={path}>
        View deliveries
      </a>
    </Alert>
  )
}
