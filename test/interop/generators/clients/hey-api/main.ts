// Makes the calls of the suite with a client that @hey-api/openapi-ts has generated, in `client` beside this file.
import { createClient } from './client/client/index.ts'
import {
  apiKeysCreate,
  apiKeysList,
  authMe,
  webhookDeliveriesList,
  webhooksCreate,
  webhooksGet,
  webhooksList,
  webhooksUpdate,
} from './client/sdk.gen.ts'

const token = process.env['HOSTING_TOKEN']!
const clientOf = (url: string) =>
  createClient({
    baseUrl: `${url}/api/v1`,
    auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined),
  })
const client = clientOf(process.env['HOSTING_URL']!)
const later = clientOf(process.env['HOSTING_LATER_URL']!)
const url = process.env['HOSTING_WEBHOOK_URL']!

const me = await authMe({ client, throwOnError: true })
const create = () =>
  webhooksCreate({
    client,
    throwOnError: true,
    headers: { 'Idempotency-Key': 'a retry' },
    body: { url, events: ['site.*'], description: 'first' },
  })
const created = await create()
const replayed = await create()
await webhooksCreate({ client, throwOnError: true, body: { url, events: ['*'] } })
const page = await webhooksList({ client, throwOnError: true, query: { limit: 1 } })
const cursor = page.data.next_cursor!
const next = await webhooksList({ client, throwOnError: true, query: { limit: 1, cursor } })
const path = { id: created.data.webhook.id }
const absent = await webhooksUpdate({ client, throwOnError: true, path, body: { enabled: false } })
const removed = await webhooksUpdate({
  client,
  throwOnError: true,
  path,
  body: { description: null },
})
const key = await apiKeysCreate({
  client,
  throwOnError: true,
  body: { name: 'CI', scopes: ['webhooks:read'] },
})
const dead = await webhookDeliveriesList({ client, throwOnError: true, query: { status: 'dead' } })
const refused = await webhooksCreate({ client, body: { url: 'ftp://example.com', events: ['*'] } })
const laterKeys = await apiKeysList({ client: later, throwOnError: true })
const laterWebhook = await webhooksGet({ client: later, throwOnError: true, path })
const laterRefused = await webhooksCreate({ client: later, body: { url: 'x', events: ['*'] } })

console.log(
  JSON.stringify({
    accounts: me.data.accounts,
    url: created.data.webhook.url,
    disabled_reason: page.data.items[0]!.disabled_reason,
    replayed: [
      replayed.data.webhook.id === created.data.webhook.id,
      replayed.data.secret,
      replayed.response.headers.get('Idempotency-Replayed'),
    ],
    next: next.data.items[0]!.id === created.data.webhook.id,
    absent: [absent.data.webhook.description, absent.data.webhook.enabled],
    removed: removed.data.webhook.description,
    key: key.data.key.name,
    dead: dead.data.items.length,
    problem: [refused.response?.status, refused.error?.code, refused.error?.errors?.[0]?.pointer],
    later: [
      laterKeys.data.items[0]!.kind,
      laterWebhook.data.webhook.health.state,
      laterRefused.error?.code,
    ],
  }),
)
