import { routesFor } from '../http/route.ts'
import type { Principal } from '../http/authenticate.ts'

/** Makes a route of the public API. */
export const route = routesFor<Principal>()
