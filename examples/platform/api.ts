import type { IncomingMessage, ServerResponse } from 'node:http'
import { authorize } from './authorize.ts'
import { BadRequest, readJson } from './body.ts'
import { createSite } from './sites.ts'

/** `POST /accounts/{id}/sites` of the platform's own API, with a key that a customer created in the panel. */
export async function serveApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const accountId = request.url!.split('/')[2] ?? ''
  const caller = await authorize(request, response, {
    permission: 'sites.manage',
    account_id: accountId,
  })
  if (!caller) return
  const { domain } = await readJson(request)
  if (typeof domain !== 'string' || domain === '') throw new BadRequest(400)
  const site = await createSite({ tenantId: caller.tenant.id, accountId }, domain)
  response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(site))
}
