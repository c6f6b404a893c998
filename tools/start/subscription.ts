import { CallError, type Call } from './http.ts'
import type { StartStateFile, KeptWebhook } from './start-state.ts'

interface Webhook {
  readonly id: string
  readonly url: string
  readonly secret_rotated_at: string | null
}

/** Subscribes the receiver to all events; returns the signing secret of its endpoint. */
export async function subscribe(
  call: Call,
  stateFile: StartStateFile,
  receiverUrl: string,
): Promise<string> {
  const settings = { url: receiverUrl, events: ['*'], enabled: true }
  const known = await findKnown(call, stateFile.kept.webhook)
  if (known) {
    await call('PATCH', `/webhooks/${known.id}`, settings)
    return known.secret
  }
  await deleteEndpointsOf(call, receiverUrl)
  const description = 'The receiver of npm start'
  const made = await call<{ webhook: Webhook; secret: string }>('POST', '/webhooks', {
    ...settings,
    description,
  })
  await stateFile.keep({
    webhook: {
      id: made.webhook.id,
      secret: made.secret,
      rotatedAt: made.webhook.secret_rotated_at,
    },
  })
  return made.secret
}

/** The endpoint of the last run, unless it was deleted or its secret was rotated. */
async function findKnown(
  call: Call,
  kept: KeptWebhook | undefined,
): Promise<KeptWebhook | undefined> {
  if (!kept) return undefined
  try {
    const { webhook } = await call<{ webhook: Webhook }>('GET', `/webhooks/${kept.id}`)
    return webhook.secret_rotated_at === kept.rotatedAt ? kept : undefined
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return undefined
    throw error
  }
}

/** Endpoints whose secret is lost: their deliveries could not be verified. */
async function deleteEndpointsOf(call: Call, url: string): Promise<void> {
  const { items } = await call<{ items: Webhook[] }>('GET', '/webhooks?limit=100')
  for (const webhook of items.filter((each) => each.url === url)) {
    await call('DELETE', `/webhooks/${webhook.id}`)
  }
}
