import type { Problem } from '@hosting/core'
import type { Screen } from '../page.ts'
import { Icon } from '../view/icon.tsx'
import { LinkButton } from '../view/parts.tsx'

const words: Readonly<Record<string, readonly [title: string, text: string]>> = {
  not_found: [
    'There is nothing here',
    'The page does not exist, or what it showed is gone or not visible to you.',
  ],
  permission_denied: [
    'Your role does not permit this',
    'Ask an administrator of your organization if you need it.',
  ],
  csrf_failed: [
    'Nothing was changed',
    'The form was older than your session, or it came from another site. Open the page again and repeat what you did.',
  ],
  rate_limited: ['That was too fast', 'Wait for a moment, then load the page again.'],
  internal_error: [
    'Something went wrong on our side',
    'It is not your doing, and it is written down. Tell us the number below if it lasts.',
  ],
}

/** The page of an error. */
export function errorScreen(
  problem: Problem,
  { requestId, url }: { requestId: string; url: string },
): Screen {
  const [title, text] = words[problem.code] ?? [problem.title, problem.message]
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
              <LinkButton to={url} look="primary">
                Open the page again
              </LinkButton>
            )}
            <LinkButton to="/">Go to the overview</LinkButton>
          </div>
          <p class="small">
            Error {problem.status} · request <code>{requestId}</code>
          </p>
        </div>
      </div>
    ),
  }
}
