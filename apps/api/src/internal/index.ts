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

/** The base path of the internal API. */
export const internalBase = '/internal/v1'

/** The table of the internal API's endpoints. */
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
