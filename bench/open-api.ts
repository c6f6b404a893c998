// The API with the measured route open to everyone and with a constant response: what a request costs without the
// gate, on the same app.
import { publicRoutes, startApi, type Route } from '@hosting/api'
import { runProcess } from '@hosting/process'

const body = JSON.parse(process.env['BARE_BODY']!) as unknown
const route: Route<never> = publicRoutes.find(
  ({ operationId }) => operationId === 'tenant.edition',
)!
Object.assign(route, { auth: 'none', handle: async () => body } satisfies Partial<Route>)
await runProcess('api', startApi)
