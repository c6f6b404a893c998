import type { Problem } from '@hosting/core/problems'
import type { View } from '../page.ts'
import { Icon } from '../view/icon.tsx'
import { LinkButton } from '../view/components.tsx'

const texts: Readonly<Record<string, readonly [title: string, text: string]>> = {
  not_found: ['Page not found', 'The page does not exist, or you do not have access to it.'],
  permission_denied: [
    'Permission denied',
    'Your role does not include this. Ask an administrator of your organization for access.',
  ],
  csrf_failed: [
    'Form expired',
    'Nothing was changed. The form was older than your session, or it came from another site. Reload the page and try again.',
  ],
  validation_failed: [
    'Invalid parameter',
    'A filter or another parameter in the URL is not valid. Correct the URL, or open the page without it.',
  ],
  rate_limited: ['Too many requests', 'Wait a moment, then reload the page.'],
  internal_error: [
    'Internal error',
    'Something went wrong on our side, and the error was logged. If it persists, contact support with the request ID below.',
  ],
}

/** Renders an error page. */
export function errorView(
  problem: Problem,
  { requestId, url }: { requestId: string; url: string },
): View {
  const [title, text] = texts[problem.code] ?? [problem.title, problem.message]
  return {
    title,
    body: (
      <div class="card">
        <div class="empty">
          <Icon name={problem.status === 404 ? 'search' : 'alert'} />
          <h1>{title}</h1>
          <p>{text}</p>
          <div class="buttons">
            {problem.code === 'csrf_failed' && (
              <LinkButton to={url} variant="primary">
                Reload the page
              </LinkButton>
            )}
            <LinkButton to="/">Go to overview</LinkButton>
          </div>
          <p class="small">
            HTTP {problem.status} · Request ID <code>{requestId}</code>
          </p>
        </div>
      </div>
    ),
  }
}
