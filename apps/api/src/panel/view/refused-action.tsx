import { usePage } from './context.ts'
import { Alert } from './components.tsx'

/** Shows why a button's action failed. */
export function RefusedAction() {
  const { refused } = usePage()
  return refused ? (
    <Alert tone="bad" live title={refused.title}>
      {refused.detail}
    </Alert>
  ) : null
}
