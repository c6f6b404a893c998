// Makes the calls of the suite with a client that swagger-typescript-api has generated, in `client.ts` beside this file.
import { Api, type HttpResponse, type Problem } from './client.ts'

const headers = { Authorization: `Bearer ${process.env['HOSTING_TOKEN']}` }
const clientOf = (url: string) => new Api({ baseUrl: `${url}/api/v1`, baseApiParams: { headers } })
const client = clientOf(process.env['HOSTING_URL']!)
const later = clientOf(process.env['HOSTING_LATER_URL']!)
const url = process.env['HOSTING_WEBHOOK_URL']!

/** It throws the response of a request that is refused. */
const refusedBy = async (of: typeof client): Promise<HttpResponse<never, Problem>> =>
  of.webhooks.webhooksCreate({ url: 'ftp://example.com', events: ['*'] }).then(
    () => Promise.reject(new Error('The URL was not refused.')),
    (response: unknown) => response as HttpResponse<never, Problem>,
  )

const me = await client.auth.authMe()
const create = () =>
  client.webhooks.webhooksCreate(
    { url, events: ['site.*'], description: 'first' },
    { headers: { 'Idempotency-Key': 'a retry' } },
  )
const created = await create()
const replayed = await create()
await client.webhooks.webhooksCreate({ url, events: ['*'] })
const page = await client.webhooks.webhooksList({ limit: 1 })
const next = await client.webhooks.webhooksList({ limit: 1, cursor: page.data.next_cursor! })
const { id } = created.data.webhook
const absent = await client.webhooks.webhooksUpdate(id, { enabled: false })
const removed = await client.webhooks.webhooksUpdate(id, { description: null })
const key = await client.apiKeys.apiKeysCreate({ name: 'CI', scopes: ['webhooks:read'] })
const dead = await client.webhookDeliveries.webhookDeliveriesList({ status: 'dead' })
const refused = await refusedBy(client)
const laterKeys = await later.apiKeys.apiKeysList()
const laterWebhook = await later.webhooks.webhooksGet(id)
const laterRefused = await refusedBy(later)

console.log(
  JSON.stringify({
    accounts: me.data.accounts,
    url: created.data.webhook.url,
    disabled_reason: page.data.items[0]!.disabled_reason,
    replayed: [
      replayed.data.webhook.id === id,
      replayed.data.secret,
      replayed.headers.get('Idempotency-Replayed'),
    ],
    next: next.data.items[0]!.id === id,
    absent: [absent.data.webhook.description, absent.data.webhook.enabled],
    removed: removed.data.webhook.description,
    key: key.data.key.name,
    dead: dead.data.items.length,
    problem: [refused.status, refused.error.code, refused.error.errors?.[0]?.pointer],
    later: [
      laterKeys.data.items[0]!.kind,
      laterWebhook.data.webhook.health.state,
      laterRefused.error.code,
    ],
  }),
)
