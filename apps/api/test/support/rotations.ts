import { createSecretsStore } from '@hosting/core/secrets-store'
import { signingSecretContext } from '@hosting/core/webhooks'
import { claimAttempts, findEncryptedSecrets } from '@hosting/postgres/deliveries'
import { expect } from '@jest/globals'
import { buildTaken } from '../../../../test/support/attempts.ts'
import type { TestApi, TestTenant } from '../../../../test/support/api.ts'
import { publish } from './events.ts'
import { url } from './webhooks.ts'

export const store = createSecretsStore([{ id: 'test', key: Buffer.alloc(32, 7) }])

/** Rotates the signing secrets of endpoints, and reads their secrets. */
export function useRotations(api: TestApi) {
  /** An organization with an endpoint, whose secret this knows. */
  async function subscribe(fields: { enabled?: boolean } = {}) {
    const { tenant, admin: key } = await api.makeAdmin()
    const { token } = key
    const body = { url, events: ['*'], ...fields }
    const made = await api.call('post', '/webhooks', { token, body })
    const { webhook, secret } = made.body
    return { tenant, key, token, webhook, id: webhook.id as string, secret: secret as string }
  }

  const send = (token: string, id: string, body?: unknown, headers: Record<string, string> = {}) =>
    api.call('post', `/webhooks/${id}/rotate-secret`, { token, body, headers })

  async function rotate(token: string, id: string, graceSeconds = 0): Promise<string> {
    const { status, body } = await send(token, id, { grace_seconds: graceSeconds })
    expect(status).toBe(200)
    return body.secret as string
  }

  const show = async (token: string, id: string) =>
    (await api.call('get', `/webhooks/${id}`, { token })).body.webhook

  /** The secrets that the next attempt is signed with, in the order of their signatures. */
  async function nextSecretsOf({ id: tenantId }: TestTenant): Promise<string[]> {
    const [deliveryId] = (await publish(api, tenantId)).deliveryIds
    const taken = [buildTaken({ deliveryId: deliveryId! })]
    const [claimed] = await claimAttempts(api.database, taken, 60_000)
    const { secretIds } = claimed!
    const encrypted = await findEncryptedSecrets(api.database, secretIds)
    return secretIds.map((id) => store.decrypt(encrypted.get(id)!, signingSecretContext(id)))
  }

  /** When the stored secrets of an endpoint end, the present one last. */
  const endsOf = async (endpointId: string) => {
    const secrets = await api.database.prisma.webhookSecret.findMany({ where: { endpointId } })
    return secrets
      .map(({ expiresAt }) => expiresAt?.getTime() ?? Infinity)
      .toSorted((a, b) => a - b)
  }

  /** Moves the times of an endpoint's secrets into the past by this number of seconds. */
  const pass = (endpointId: string, seconds: number) =>
    api.database.pool.query(
      `UPDATE webhook_secrets SET expires_at = expires_at - $2 * interval '1 s' WHERE endpoint_id = $1`,
      [endpointId, seconds],
    )

  return { subscribe, send, rotate, show, nextSecretsOf, endsOf, pass }
}
