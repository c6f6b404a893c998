import { createHash, randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { serviceToken } from '../../../../test/support/environment.ts'
import { allAuditEntriesOf } from './audit.ts'

/** The name of the service whose changes the tests read in the audit log. */
export const service = 'crm'

/** An API, and what tests of the directory's audit do with it. */
export function useDirectoryAudit() {
  const api = useApi({
    INTERNAL_TOKENS: `${service}:${createHash('sha256').update(serviceToken).digest('hex')}`,
  })
  const call = async (verb: 'put' | 'delete', path: string, body?: unknown) =>
    (await api.callInternal(verb, path, body)).status
  const countOf = async (tenantId: string) => (await allAuditEntriesOf(api, tenantId)).length

  /** The entries of an organization, oldest first, without the first ones. */
  async function entriesOf(tenantId: string, after = 0) {
    const rows = await allAuditEntriesOf(api, tenantId)
    return rows.slice(after).map(({ action, targetId, details }) => ({ action, targetId, details }))
  }

  /** An organization, and a user to put into it. */
  async function enter() {
    const tenant = await api.makeTenant()
    const id = randomUUID()
    const user = {
      tenant_id: tenant.id,
      email: `${id}@example.test`,
      name: 'Ana Personal',
      status: 'active',
      roles: ['customer'],
      accounts: [] as string[],
    }
    const put = (change: object) => call('put', `/users/${id}`, { ...user, ...change })
    return { tenant, id, user, put }
  }

  return { api, call, countOf, entriesOf, enter }
}
