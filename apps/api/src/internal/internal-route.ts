import { routesFor } from '../http/route.ts'

/** Makes a route of the internal listener: its caller is a service of the platform. */
export const internalRoute = routesFor<undefined>()
