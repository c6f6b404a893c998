// Makes the calls of the suite with a client of openapi-generator's typescript-fetch, in `client` beside this file.
import {
  ApiKeysApi,
  AuthApi,
  Configuration,
  ProblemFromJSON,
  ResponseError,
  WebhookDeliveriesApi,
  WebhooksApi,
  type Problem,
} from './client/index.ts'

const accessToken = process.env['HOSTING_TOKEN']!
const configurationOf = (url: string) =>
  new Configuration({ basePath: `${url}/api/v1`, accessToken })
const client = configurationOf(process.env['HOSTING_URL']!)
const later = configurationOf(process.env['HOSTING_LATER_URL']!)
const webhooks = new WebhooksApi(client)
const url = process.env['HOSTING_WEBHOOK_URL']!

/** It throws an error with the response of a request that is refused. */
async function refusedBy(of: Configuration): Promise<{ status: number; problem: Problem }> {
  const body = { url: 'ftp://example.com', events: ['*'] }
  try {
    await new WebhooksApi(of).webhooksCreate({ webhooksCreateBody: body })
  } catch (error) {
    const { response } = error as ResponseError
    return { status: response.status, problem: ProblemFromJSON(await response.json()) }
  }
  throw new Error('The URL was not refused.')
}

const me = await new AuthApi(client).authMe()
const create = async () => {
  const webhooksCreateBody = { url, events: ['site.*'], description: 'first' }
  const response = await webhooks.webhooksCreateRaw({
    webhooksCreateBody,
    idempotencyKey: 'a retry',
  })
  return { data: await response.value(), headers: response.raw.headers }
}
const created = await create()
const replayed = await create()
await webhooks.webhooksCreate({ webhooksCreateBody: { url, events: ['*'] } })
const page = await webhooks.webhooksList({ limit: 1 })
const next = await webhooks.webhooksList({ limit: 1, cursor: page.nextCursor! })
const { id } = created.data.webhook
const absent = await webhooks.webhooksUpdate({ id, webhooksUpdateBody: { enabled: false } })
const removed = await webhooks.webhooksUpdate({ id, webhooksUpdateBody: { description: null } })
const key = await new ApiKeysApi(client).apiKeysCreate({
  apiKeysCreateBody: { name: 'CI', scopes: ['webhooks:read'] },
})
const dead = await new WebhookDeliveriesApi(client).webhookDeliveriesList({ status: 'dead' })
const refused = await refusedBy(client)
const laterKeys = await new ApiKeysApi(later).apiKeysList()
const laterWebhook = await new WebhooksApi(later).webhooksGet({ id })
const laterRefused = await refusedBy(later)

console.log(
  JSON.stringify({
    accounts: me.accounts,
    url: created.data.webhook.url,
    disabled_reason: page.items[0]!.disabledReason,
    replayed: [
      replayed.data.webhook.id === id,
      replayed.data.secret,
      replayed.headers.get('Idempotency-Replayed'),
    ],
    next: next.items[0]!.id === id,
    absent: [absent.webhook.description, absent.webhook.enabled],
    removed: removed.webhook.description,
    key: key.key.name,
    dead: dead.items.length,
    problem: [refused.status, refused.problem.code, refused.problem.errors?.[0]?.pointer],
    later: [laterKeys.items[0]!.kind, laterWebhook.webhook.health.state, laterRefused.problem.code],
  }),
)
