import { notFound } from '@hosting/core/problems'
import { tenantExists } from '@hosting/postgres/directory'
import type { Caller, ServiceCaller } from '../access/caller.ts'
import type { Route } from '../routes/route.ts'
import { idParams } from '../schemas/common.ts'
import { listDeliveriesRoute } from '../routes/webhook-deliveries.ts'
import { listEndpointsRoute } from '../routes/webhooks.ts'

/** A list of an organization, for the platform's support: the same filters and records as the organization sees. */
const viewOf = (list: Route<Caller>, names: ViewNames): Route<ServiceCaller> => ({
  ...(list as Route),
  ...names,
  path: `/tenants/:id${list.path}`,
  description: `What the organization itself sees with \`GET /api/v1${list.path}\`.`,
  auth: 'service',
  params: idParams('organization'),
  async handle(request, services) {
    const { id } = request.params as { readonly id: string }
    if (!(await tenantExists(services.database.prisma, id))) throw notFound()
    return list.handle({ ...request, caller: administratorOf(id) }, services)
  },
})

interface ViewNames {
  readonly operationId: string
  readonly summary: string
}

/** The lists read nothing of their caller but the organization. */
const administratorOf = (id: string) => ({ tenant: { id } }) as Caller

export const tenantViewRoutes = [
  viewOf(listEndpointsRoute, {
    operationId: 'internal.tenants.webhooks',
    summary: 'List the endpoints of an organization',
  }),
  viewOf(listDeliveriesRoute, {
    operationId: 'internal.tenants.webhook-deliveries',
    summary: 'List the deliveries of an organization',
  }),
]
