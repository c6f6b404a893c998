import type { PermissionName } from '@hosting/core'
import type { TObject, TSchema } from 'typebox'
import type { Caller, SessionCaller } from '../http/caller.ts'
import { routesFor, type Route, type RouteDefinition } from '../http/route.ts'

/** Makes a route of the public API that a key or a session may call. */
export const route = routesFor<Caller>()

/** Makes a route of the public API that needs no credentials. */
export const openRoute = routesFor<undefined>()

/** Makes a route of the public API for signed-in sessions only: its handler gets the session. */
export const sessionRoute = <
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Prepared = undefined,
>(
  definition: RouteDefinition<SessionCaller, Params, Query, Body, Prepared> & {
    readonly auth: 'session' | PermissionName
  },
): Route<SessionCaller> => routesFor<SessionCaller>()({ ...definition, sessionOnly: true })
