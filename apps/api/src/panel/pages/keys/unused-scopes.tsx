import { scopeUsesKeptDays } from '@hosting/core/api-keys'
import type { KeyRecord } from '../../../api/schemas/api-key.ts'
import { Card, Chips } from '../../view/components.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { useManages, type ViewedKey } from './key-header.tsx'

/** The scopes of a key that no request has needed, with a button that removes them. Nothing if all were needed. */
export function UnusedScopes({ record, caller }: ViewedKey) {
  const manages = useManages({ record, caller })
  const unused = record.unused_scopes ?? []
  if (unused.length === 0 || record.status !== 'active') return null
  const isAll = unused.length === record.scopes.length
  const canNarrow = manages && !isAll
  return (
    <Card
      title="Unused scopes"
      hint={`No request has needed ${unused.length === 1 ? 'this scope' : 'these scopes'} in ${scopeUsesKeptDays} days.`}
      aside={
        canNarrow && (
          <Form action="narrow" plain>
            {unused.map((scope) => (
              <input key={scope} type="hidden" name="unused" value={scope} />
            ))}
            <Submit variant="small">
              {unused.length === 1 ? 'Remove unused scope' : 'Remove unused scopes'}
            </Submit>
          </Form>
        )
      }
    >
      <Chips items={unused} />
      {isAll && (
        <p class="quiet">
          The key uses none of its scopes. Disable it to see whether it is needed.
        </p>
      )}
    </Card>
  )
}

/** The scopes that are left when those that the person saw, and that are unused still, are removed. */
export function narrowedScopes(
  { scopes, unused_scopes: unused }: KeyRecord,
  shown: readonly string[],
): readonly string[] {
  const removed = new Set<string>(unused?.filter((scope) => shown.includes(scope)))
  return scopes.filter((scope) => !removed.has(scope))
}
