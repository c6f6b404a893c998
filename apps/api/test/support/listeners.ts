import { afterEach } from '@jest/globals'
import { useApi, type TestApi, type TestTenant } from '../../../../test/support/api.ts'
import { listen, listenWith, type TestListener } from '../../../../test/support/listener.ts'

export const api = useApi()

export const open: TestListener[] = []

afterEach(() => Promise.all(open.splice(0).map((listener) => listener.leave())))

export async function begin(token: string, at: TestApi = api): Promise<TestListener> {
  const listener = await listenWith(at.url, token)
  open.push(listener)
  return listener
}

export const tryWith = (token: string) => listen(api.url, { authorization: `Bearer ${token}` })

export async function countSlots(tenant: TestTenant): Promise<number> {
  const { rows } = await api.database.pool.query<{ count: number }>(
    'SELECT count(*)::int FROM webhook_listeners WHERE tenant_id = $1',
    [tenant.id],
  )
  return rows[0]!.count
}
