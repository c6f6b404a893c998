import type { Route } from '../http/route.ts'
import { authorizeRoute } from './authorize.ts'
import {
  deleteAccountRoute,
  deleteTenantRoute,
  deleteUserRoute,
  putAccountRoute,
  putTenantRoute,
  putUserRoute,
} from './directory.ts'
import { publishEventsRoute } from './events.ts'

/** Where the internal listener's endpoints stand. */
export const internalBase = '/internal/v1'

/** The one table of the internal listener's endpoints (docs/specification/internal-api.md). */
export const internalRoutes: readonly Route<undefined>[] = [
  publishEventsRoute,
  authorizeRoute,
  putTenantRoute,
  deleteTenantRoute,
  putAccountRoute,
  deleteAccountRoute,
  putUserRoute,
  deleteUserRoute,
]
