import type { PreviousSecretUse } from '../../../api/for-pages.ts'
import { Alert } from '../../view/components.tsx'
import { ActionButton } from '../../view/form.tsx'
import { Ago, Time } from '../../view/time.tsx'
import { useManages, type ViewedKey } from './key-header.tsx'

/** Says that an old token is still valid, and when it was last used. Offers to end one that nothing uses. */
export function PreviousTokenNote({ use, ...viewed }: ViewedKey & { use: PreviousSecretUse }) {
  const manages = useManages(viewed)
  return (
    <Alert tone={use.isIdle ? 'info' : 'warn'} title="An old token is still valid">
      <p>
        {use.lastUsedAt ? (
          <>
            The old token was last used <Ago at={use.lastUsedAt} /> from{' '}
            <code>{use.lastUsedIp}</code>.
          </>
        ) : (
          'The old token has not been used.'
        )}{' '}
        It expires <Time at={viewed.record.previous_secret_expires_at} />.{' '}
        {use.isIdle
          ? 'Nothing has used it for a day, so you can end it now.'
          : 'When nothing has used it for a day, you can end it here.'}
      </p>
      {use.isIdle && manages && (
        <ActionButton action="end_previous" to={`/keys/${viewed.record.id}`} variant="small">
          End the old token
        </ActionButton>
      )}
    </Alert>
  )
}
