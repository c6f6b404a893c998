import { usePage } from './context.ts'
import { Alert } from './parts.tsx'

/** Why what a button of the page does was refused. */
export function RefusedAction() {
  const { refused } = usePage()
  return refused ? (
    <Alert tone="bad" said title={refused.title}>
      {refused.detail}
    </Alert>
  ) : null
}
