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
import type { ServiceCaller } from './internal-route.ts'
import { createSignInLinkRoute } from './sign-in-links.ts'
import { noticeFeedRoute } from './notices.ts'

/** The base path of the internal API. */
export const internalBase = '/internal/v1'

/** The table of the internal API's endpoints. */
export const internalRoutes: readonly Route<ServiceCaller>[] = [
  publishEventsRoute,
  authorizeRoute,
  putTenantRoute,
  deleteTenantRoute,
  putAccountRoute,
  deleteAccountRoute,
  putUserRoute,
  deleteUserRoute,
  createSignInLinkRoute,
  noticeFeedRoute,
]
