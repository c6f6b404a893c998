import { usePage } from './context.ts'
import { Alert } from './components.tsx'
import { Interrupted } from './form.tsx'

/** Shows why a button's action failed. */
export function RefusedAction() {
  const { refused } = usePage()
  if (!refused) return null
  return refused.isInterrupted ? (
    <Interrupted {...refused} />
  ) : (
    <Alert tone="bad" live title={refused.title}>
      {refused.detail}
    </Alert>
  )
}
