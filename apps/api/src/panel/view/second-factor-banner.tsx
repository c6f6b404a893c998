import type { SessionCaller } from '../../api/access/caller.ts'
import { Alert } from './components.tsx'
import { usePage } from './context.ts'
import { Time } from './time.tsx'

/** Says that the organization requires a second factor, to a person who has none or has not used it. */
export function SecondFactorBanner({ caller: { tenant, session } }: { caller: SessionCaller }) {
  const { missingSecondFactor, secondFactorDueAt, lacksSecondFactor } = session
  if (secondFactorDueAt === null) return null
  // Before the date there is nothing to do for a person who has a passkey.
  if (missingSecondFactor === 'unconfirmed' && !lacksSecondFactor) return null
  return (
    <Alert
      tone="warn"
      title={
        lacksSecondFactor
          ? `${tenant.name} requires a second factor`
          : `${tenant.name} will require a second factor`
      }
    >
      {missingSecondFactor === 'unconfirmed' ? (
        <ConfirmWithPasskey />
      ) : (
        <SetUp dueAt={lacksSecondFactor ? undefined : secondFactorDueAt} />
      )}
    </Alert>
  )
}

function ConfirmWithPasskey() {
  const { url } = usePage()
  return (
    <>
      You signed in with a password alone.{' '}
      <a href={`/confirm?${new URLSearchParams({ next: url })}`}>Confirm with your passkey</a> to
      continue. API keys keep working.
    </>
  )
}

function SetUp({ dueAt }: { dueAt: Date | undefined }) {
  const { url, offersPasskeys } = usePage()
  const isOnPage = url.split('?')[0]!.startsWith('/security')
  return (
    <>
      {dueAt ? (
        <>
          From <Time at={dueAt} /> on, you can use the panel only with a second factor, and you have
          none.
        </>
      ) : (
        `${offersPasskeys ? 'Add a passkey or turn' : 'Turn'} on two-factor authentication to continue. API keys keep working.`
      )}{' '}
      {!isOnPage && <a href="/security">Set one up</a>}
    </>
  )
}
