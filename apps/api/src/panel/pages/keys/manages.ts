import type { KeyRecord } from '../../../api/schemas/api-key.ts'
import type { SignedInRequest } from '../../page.ts'
import { usePage } from '../../view/context.ts'

/** A key on its page, and the person who looks at it. */
export interface ViewedKey {
  readonly record: KeyRecord
  readonly caller: SignedInRequest['caller']
}

/** Whether the caller may edit and rotate a key: its owner, or for organization keys an administrator. */
export const useManages = ({ record, caller }: ViewedKey): boolean => {
  const isManager = usePage().may('apikeys.manage')
  return record.kind === 'personal' ? record.user.id === caller.user.id : isManager
}
