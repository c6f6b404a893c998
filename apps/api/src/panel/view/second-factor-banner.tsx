import type { SessionCaller } from '../../http/caller.ts'
import { Alert } from './components.tsx'
import { usePage } from './context.ts'
import { Time } from './time.tsx'

/** Says that the organization requires a second factor, to a person who has none. */
export function SecondFactorBanner({ caller: { tenant, session } }: { caller: SessionCaller }) {
  const { url } = usePage()
  const { secondFactorDueAt, lacksSecondFactor } = session
  if (secondFactorDueAt === null) return null
  const isOnPage = url.split('?')[0]!.startsWith('/security')
  return (
    <Alert
      tone="warn"
      title={
        lacksSecondFactor
          ? `${tenant.name} requires a second factor`
          : `${tenant.name} will require a second factor`
      }
    >
      {lacksSecondFactor ? (
        'Add a passkey or turn on two-factor authentication to continue. API keys keep working.'
      ) : (
        <>
          From <Time at={secondFactorDueAt} /> on, you can use the panel only with a passkey or an
          authenticator app. You have neither.
        </>
      )}{' '}
      {!isOnPage && <a href="/security">Set one up</a>}
    </Alert>
  )
}
