import { usePage } from './context.ts'
import { Alert } from './parts.tsx'

/** Shows why a button's action failed. */
export function RefusedAction() {
  const { refused } = usePage()
  return refused ? (
    <Alert tone="bad" said title={refused.title}>
      {refused.detail}
    </Alert>
  ) : null
}
