import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { authorize } from './authorize.ts'
import { createSite } from './sites.ts'

/** `POST /accounts/{id}/sites` of the platform's own API, with a key that a customer created in the panel. */
export async function serveApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const accountId = request.url!.split('/')[2]!
  const caller = await authorize(request, response, {
    permission: 'sites.manage',
    account_id: accountId,
  })
  if (!caller) return
  const { domain } = (await json(request)) as { domain: string }
  const site = await createSite({ tenantId: caller.tenant.id, accountId }, domain)
  response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(site))
}
