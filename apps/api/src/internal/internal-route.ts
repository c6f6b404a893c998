import { routesFor } from '../http/route.ts'

/** The caller of an internal API route: a service of the platform. */
export interface ServiceCaller {
  /** Its name in the configuration; null if there is none. */
  readonly service: string | null
}

/** Defines an internal API route. */
export const internalRoute = routesFor<ServiceCaller>()
