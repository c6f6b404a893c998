import { decideRotation, validSecretsMax } from '@hosting/core/api-keys'
import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { conflict, notFound } from '@hosting/core/problems'
import { createSigningSecret, signingSecretContext } from '@hosting/core/webhooks'
import {
  listEndpointSecretEnds,
  lockEndpoint,
  rotateEndpointSecret,
} from '@hosting/postgres/webhooks'
import type { Needs } from '../services.ts'
import { recordChange, type RequestContext } from './audit.ts'
import { toWebhookRecord } from '../records/webhook.ts'
import { activityOf } from './webhooks.ts'

/** Rotates the signing secret of an endpoint. During an overlap period the current one stays valid. */
export async function rotateSecret(
  { secrets }: Needs<'secrets'>,
  context: RequestContext,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
) {
  const { tx } = context.work
  // Read before taking the lock, which others would wait for.
  const activity = await activityOf(tx, id)
  if (!(await lockEndpoint(tx, context.caller.tenant.id, id))) throw notFound()
  const now = currentTime()
  const rotation = decideRotation(await listEndpointSecretEnds(tx, id), { overlapSeconds, now })
  if (rotation.refused) {
    const reason = `the endpoint already has ${validSecretsMax} valid secrets.`
    throw conflict(reason)
  }
  const [secret, secretId] = [createSigningSecret(), createUuidv7()]
  const encryptedSecret = secrets!.encrypt(secret, signingSecretContext(secretId))
  const row = await rotateEndpointSecret(tx, id, { ...rotation, secretId, encryptedSecret, now })
  await recordChange(context, {
    action: 'webhook.rotate_secret',
    target: { type: 'webhook', id },
    details: { grace_seconds: overlapSeconds },
  })
  return { webhook: toWebhookRecord(row, activity), secret }
}
