import { decideAccess, type PermissionName } from '@hosting/core/scopes'
import type { SessionCaller } from '../api/access/caller.ts'

/** Returns whether the roles of a signed-in person grant a permission; nobody else has any. */
export const grantsOf =
  (caller: SessionCaller | undefined) =>
  (permission: PermissionName): boolean =>
    caller !== undefined &&
    !decideAccess({ roles: caller.user.roles, key: null }, permission, 'GET')
