import type { PermissionName } from '@hosting/core'
import type { TObject, TSchema } from 'typebox'
import type { Caller, SessionCaller } from '../http/caller.ts'
import { routesFor, type Route, type RouteDefinition } from '../http/route.ts'

/** Defines a public API route that keys and sessions may call. */
export const route = routesFor<Caller>()

/** Defines a public API route that needs no credentials. */
export const openRoute = routesFor<undefined>()

/** Defines a public API route for sessions only. Its handler receives the session. */
export const sessionRoute = <
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Result,
  Prepared = undefined,
>(
  definition: RouteDefinition<SessionCaller, Params, Query, Body, Result, Prepared> & {
    readonly auth: 'session' | PermissionName
  },
): Route<SessionCaller, Result> => routesFor<SessionCaller>()({ ...definition, sessionOnly: true })
