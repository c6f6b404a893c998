import { keyLifetimeDaysMax } from '@hosting/core/api-keys'
import { findKeyPolicy } from '@hosting/postgres/api-keys'
import { Type } from 'typebox'
import { change, read } from '../http/define-route.ts'
import { toKeyPolicy, toKeyPolicyRecord } from '../records/key-policy.ts'
import { changeKeyPolicy } from '../use-cases/key-policy.ts'
import { described, nullable, strictObject } from '../schemas/common.ts'

const keyPolicy = strictObject({
  max_lifetime_days: nullable(
    Type.Integer({
      minimum: 1,
      maximum: keyLifetimeDaysMax,
      description:
        'The longest time from `created_at` to `expires_at`, in days. Null for no limit, so keys may have no expiry.',
    }),
  ),
  ip_allowlist_required: Type.Boolean({ description: 'Whether every key needs an IP allowlist.' }),
  personal_keys_allowed: Type.Boolean({
    description: 'Whether keys of kind `personal` are allowed, including those of device logins.',
  }),
})

const keyPolicyResponse = strictObject({ policy: described(keyPolicy, 'The key policy.') })

export const getKeyPolicyRoute = read({
  operationId: 'tenant.key-policy',
  path: '/tenant/key-policy',
  summary: "Get the organization's key policy",
  description: 'The rules that new keys must meet. Without a policy, everything is allowed.',
  auth: 'tenant.read',
  returns: { status: 200, description: 'The policy.', schema: keyPolicyResponse },
  problems: [],
  async handle({ caller }, { database }) {
    return { policy: toKeyPolicyRecord(await findKeyPolicy(database.prisma, caller.tenant.id)) }
  },
})

export const putKeyPolicyRoute = change({
  operationId: 'tenant.put-key-policy',
  method: 'PUT',
  path: '/tenant/key-policy',
  summary: "Replace the organization's key policy",
  description:
    'Applies when a key is created, rotated or enabled, when its IP allowlist changes, and when a device login is approved. Existing keys keep working; `GET /api-keys?violates_policy=true` lists those that violate the policy.',
  auth: { session: 'tenant.manage' },
  confirmed: true,
  refusesImpersonation: true,
  body: keyPolicy,
  returns: { status: 200, description: 'The new policy.', schema: keyPolicyResponse },
  problems: [],
  handle: (request) => changeKeyPolicy(request, toKeyPolicy(request.body)),
})
