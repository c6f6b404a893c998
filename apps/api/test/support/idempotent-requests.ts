import type { Response } from 'supertest'
import type { CallOptions, TestApi } from '../../../../test/support/api.ts'
import { auditOf } from './webhooks.ts'

/** A request with an Idempotency-Key. */
export interface Sent extends Omit<CallOptions, 'headers'> {
  readonly verb?: 'post' | 'patch' | 'delete'
  readonly path?: string
  /** The Idempotency-Key. */
  readonly once?: string
}

export const fields = { name: 'Deploy', scopes: ['sites:read'] }

export const isReplay = ({ headers }: Response) => headers['idempotency-replayed'] === 'true'

/** Sends requests with Idempotency-Keys, and counts what they created. */
export function useIdempotentRequests(api: TestApi) {
  async function asAdmin() {
    const tenant = await api.makeTenant()
    return { tenant, ...(await tenant.makeKey()) }
  }

  const send = ({ verb = 'post', path = '/api-keys', once = 'once', ...options }: Sent) =>
    api.call(verb, path, {
      ...options,
      headers: {
        'idempotency-key': once,
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
      },
    })

  const countKeys = async (tenantId: string): Promise<number> =>
    await api.database.prisma.apiKey.count({ where: { tenantId } })

  const actionsOf = async (tenantId: string) =>
    (await auditOf(api, tenantId)).map(({ action }) => action)

  return { asAdmin, send, countKeys, actionsOf }
}
