import type { TestApi } from '../../../../test/support/api.ts'
import { isOfDirectory } from './audit.ts'

/** An audit entry as the API returns it. */
export interface AuditView {
  readonly id: string
  readonly occurred_at: string
  readonly action: string
  readonly outcome: string
  readonly reason: string | null
  readonly actor: { type: string; id: string | null; name: string | null; key_id: string | null }
  readonly target: { type: string | null; id: string | null }
  readonly ip: string | null
  readonly request_id: string | null
  readonly details: Record<string, unknown>
}

export const idsOf = (items: readonly AuditView[]) => items.map(({ id }) => id)

/** Reads the audit log through the API, without the entries of the directory's changes. */
export function useAuditList(api: TestApi) {
  async function list(token: string, query = '') {
    const response = await api.call('get', `/audit-log?${query}`, { token })
    if (response.status !== 200) throw new Error(`A list was refused: ${response.text}`)
    const { items, next_cursor } = response.body as {
      items: AuditView[]
      next_cursor: string | null
    }
    return { items: items.filter(({ action }) => !isOfDirectory(action)), next_cursor }
  }

  return { list }
}
