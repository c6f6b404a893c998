import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { serveApi } from './api.ts'
import { customers } from './customers.ts'
import { saveCustomer } from './directory.ts'
import { servePortal } from './portal.ts'

// Repeated at every start: it changes nothing if the service knows the customers already.
for (const customer of customers) await saveCustomer(customer)

const serve = (request: IncomingMessage, response: ServerResponse): Promise<void> =>
  request.method === 'POST' && /^\/accounts\/[^/]+\/sites$/.test(request.url!)
    ? serveApi(request, response)
    : servePortal(request, response)

const server = createServer((request, response) => {
  serve(request, response).catch(() => {
    if (!response.headersSent) response.writeHead(503)
    response.end()
  })
})
const port = Number(process.env['PORT'] ?? 4000)
server.listen(port, '127.0.0.1', () => console.log(`Platform: http://127.0.0.1:${port}`))
