import { permissions, type PermissionName } from '@hosting/core/scopes'
import { Type, type Static } from 'typebox'
import { nullable, strictObject, uuid, wordOf } from './common.ts'

export const authorizeBody = strictObject({
  authorization: nullable(
    Type.String({
      description:
        'The value of the `Authorization` header that your service received; null if there was none.',
    }),
  ),
  ip: Type.String({
    format: 'ip-address',
    description: 'The client address, which is checked against the IP allowlist of the key.',
  }),
  method: Type.String({
    pattern: '^[A-Z]{1,20}$',
    description: 'The HTTP method of the request. Scopes to read cover only GET and HEAD.',
  }),
  permission: wordOf(
    [...permissions.keys()] as PermissionName[],
    'The permission that the request requires.',
  ),
  account_id: Type.Optional(
    nullable(
      uuid(
        'The account that the request concerns. Null or absent: the request passes if any account permits it.',
      ),
    ),
  ),
})

/** A request that another service of the platform received, and the permission that it needs. */
export type AuthorizeFields = Static<typeof authorizeBody>
