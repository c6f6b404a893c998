import type { Route } from '../routes/route.ts'
import { authorizeRoute } from './authorize.ts'
import {
  createSignInLinkRoute,
  deleteAccountRoute,
  deleteTenantRoute,
  deleteUserRoute,
  putAccountRoute,
  putTenantRoute,
  putUserRoute,
} from './directory.ts'
import { putDirectoryRoute } from './directory-batch.ts'
import { directoryReadRoutes } from './directory-reads.ts'
import { publishEventsRoute } from './events.ts'
import type { ServiceCaller } from '../access/caller.ts'
import { noticeFeedRoute } from './notices.ts'
import { tenantUsageRoute } from './tenant-usage.ts'
import { tenantViewRoutes } from './tenant-views.ts'

/** The base path of the internal API. */
export const internalBase = '/internal/v1'

/** The table of the internal API's endpoints. */
export const internalRoutes: readonly Route<ServiceCaller>[] = [
  publishEventsRoute,
  authorizeRoute,
  ...directoryReadRoutes,
  putTenantRoute,
  deleteTenantRoute,
  putAccountRoute,
  deleteAccountRoute,
  putUserRoute,
  deleteUserRoute,
  putDirectoryRoute,
  createSignInLinkRoute,
  ...tenantViewRoutes,
  tenantUsageRoute,
  noticeFeedRoute,
]
