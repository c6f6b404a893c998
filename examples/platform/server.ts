import { serveApi } from './api.ts'
import { customers } from './customers.ts'
import { saveCustomer } from './directory.ts'
import { servePortal } from './portal.ts'
import { serve } from './serve.ts'

// Repeated at every start: it changes nothing if the service knows the customers already.
for (const customer of customers) await saveCustomer(customer)

const server = serve((request, response) =>
  request.method === 'POST' && /^\/accounts\/[^/]+\/sites$/.test(request.url!)
    ? serveApi(request, response)
    : servePortal(request, response),
)
const port = Number(process.env['PORT'] ?? 4000)
server.listen(port, '127.0.0.1', () => console.log(`Platform: http://127.0.0.1:${port}`))
