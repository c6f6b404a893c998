import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { authorize } from './authorize.ts'
import { publishSiteCreated } from './publish.ts'

/** `POST /accounts/{id}/sites` of your platform. */
async function createSite(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const accountId = request.url!.split('/')[2]!
  const caller = await authorize(request, response, {
    permission: 'sites.manage',
    account_id: accountId,
  })
  if (!caller) return
  const { domain } = (await json(request)) as { domain: string }
  const tenantId = caller.tenant.id
  const site = { id: randomUUID(), eventId: randomUUID(), tenantId, accountId, domain }
  // Store the site here. Publish after the commit, and repeat it with the same event id until it succeeds.
  await publishSiteCreated(site)
  response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(site))
}

const server = createServer((request, response) => {
  createSite(request, response).catch(() => response.writeHead(503).end())
})
server.listen(Number(process.env['PORT']), '127.0.0.1', () => console.log('listening'))
