import { hasAllAccounts, permissionsOf } from '@hosting/core/scopes'
import { findApiKey } from '@hosting/postgres/api-keys'
import { Type } from 'typebox'
import { accessSubjectOf } from '../access/caller.ts'
import { read } from './define-route.ts'
import { toKeyRecord } from '../records/api-key.ts'
import { keyRecord } from '../schemas/api-key.ts'
import { described, nullable, strictObject, tenantRecord, userRecord } from '../schemas/common.ts'

export const getMe = read({
  operationId: 'auth.me',
  withoutTurn: 'few records by id',
  path: '/auth/me',
  summary: 'Get the acting user with its roles and permissions, and the key',
  description: 'Use it to check a key, and to see what it may do.',
  auth: 'any',
  withoutSecondFactor: true,
  returns: {
    status: 200,
    description: 'The caller.',
    schema: strictObject({
      user: described(userRecord, 'The user whose rights the request has.'),
      tenant: tenantRecord,
      roles: Type.Array(Type.String(), {
        description: 'The roles of the user: `admin`, `support`, `reseller` or `customer`.',
      }),
      permissions: Type.Array(Type.String(), {
        description: 'The permissions of the roles. A key that is limited to accounts has fewer.',
      }),
      accounts: Type.Unsafe<'all' | string[]>({
        description:
          '`"all"`, or the ids of the accounts that the caller can access. A key that is limited to accounts reaches those of them that its user can access.',
        anyOf: [
          { type: 'string', const: 'all' },
          { type: 'array', items: { type: 'string' } },
        ],
      }),
      key: nullable(
        described(keyRecord, 'The key of the request. Null for a request with a session.'),
      ),
    }),
  },
  problems: [],
  async handle({ caller: { user, tenant, key: used } }, { database, config }) {
    const subject = accessSubjectOf({ user, key: used })
    const key = used && (await findApiKey(database.prisma, tenant.id, used.id))
    return {
      user: { id: user.id, name: user.name, email: user.email, kind: user.kind },
      tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name },
      roles: user.roles,
      permissions: permissionsOf(subject),
      accounts: hasAllAccounts(subject) ? ('all' as const) : user.accountIds,
      key: key ? toKeyRecord(key, config) : null,
    }
  },
})
