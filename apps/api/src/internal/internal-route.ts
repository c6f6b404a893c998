import { routesFor } from '../http/route.ts'

/** Defines an internal API route. Its caller is a service of the platform. */
export const internalRoute = routesFor<undefined>()
