// Makes the calls of the suite with a client that orval has generated, in `client.ts` beside this file.
import {
  apiKeysCreate,
  apiKeysList,
  authMe,
  webhookDeliveriesList,
  webhooksCreate,
  webhooksGet,
  webhooksList,
  webhooksUpdate,
} from './client.ts'

const url = process.env['HOSTING_WEBHOOK_URL']!

/** The response of a request that succeeds, with its type. */
function succeeded<R extends { status: number }, S extends R['status']>(
  response: R,
  status: S,
): Extract<R, { status: S }> {
  if (response.status !== status) throw new Error(`${response.status}`)
  return response as Extract<R, { status: S }>
}

const me = succeeded(await authMe(), 200)
const create = async () => {
  const body = { url, events: ['site.*'], description: 'first' }
  return succeeded(await webhooksCreate(body, { 'Idempotency-Key': 'a retry' }), 201)
}
const created = await create()
const replayed = await create()
succeeded(await webhooksCreate({ url, events: ['*'] }), 201)
const page = succeeded(await webhooksList({ limit: 1 }), 200)
const next = succeeded(await webhooksList({ limit: 1, cursor: page.data.next_cursor! }), 200)
const { id } = created.data.webhook
const absent = succeeded(await webhooksUpdate(id, { enabled: false }), 200)
const removed = succeeded(await webhooksUpdate(id, { description: null }), 200)
const key = succeeded(await apiKeysCreate({ name: 'CI', scopes: ['webhooks:read'] }), 201)
const dead = succeeded(await webhookDeliveriesList({ status: 'dead' }), 200)
const bad = { url: 'ftp://example.com', events: ['*'] }
const refused = succeeded(await webhooksCreate(bad), 422)

process.env['HOSTING_URL'] = process.env['HOSTING_LATER_URL']
const laterKeys = succeeded(await apiKeysList(), 200)
const laterWebhook = succeeded(await webhooksGet(id), 200)
const laterRefused = succeeded(await webhooksCreate(bad), 422)

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
    problem: [refused.status, refused.data.code, refused.data.errors?.[0]?.pointer],
    later: [
      laterKeys.data.items[0]!.kind,
      laterWebhook.data.webhook.health.state,
      laterRefused.data.code,
    ],
  }),
)
