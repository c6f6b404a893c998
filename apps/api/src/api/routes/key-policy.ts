import { keyLifetimeDaysMax, wideAllowlistText } from '@hosting/core/api-keys'
import { putKeyPolicy } from '@hosting/postgres/api-keys'
import { Type } from 'typebox'
import { change, read } from './define-route.ts'
import { recordChange } from '../use-cases/audit.ts'
import { describeKeyPolicy, toKeyPolicy, toKeyPolicyRecord } from '../use-cases/key-policy.ts'
import { component, described, nullable, text, wordOf, type RecordOf } from '../schemas/common.ts'

const keyPolicy = component('KeyPolicy', {
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

/** A key policy as the API returns it. */
export type KeyPolicyRecord = RecordOf<typeof keyPolicy>

const keyPolicyResponse = component('KeyPolicyResult', {
  policy: described(keyPolicy, 'The key policy.'),
  warnings: Type.Optional(
    Type.Array(
      component('KeyPolicyWarning', {
        code: wordOf(['wide_ip_allowlist'], 'What the warning is about.'),
        keys: Type.Integer({ description: 'How many keys it is about.' }),
        message: text('The warning as a sentence.'),
      }),
      {
        description: `What weakens the policy. \`wide_ip_allowlist\`: IP allowlists are required, and those of some keys admit ${wideAllowlistText}; \`GET /api-keys?wide_ip_allowlist=true\` lists the keys. Left out if there is no warning.`,
      },
    ),
  ),
})

export const getKeyPolicyRoute = read({
  operationId: 'tenant.key-policy',
  path: '/tenant/key-policy',
  summary: "Get the organization's key policy",
  description: 'The rules that new keys must meet. Without a policy, everything is allowed.',
  auth: 'tenant.read',
  returns: { status: 200, description: 'The policy.', schema: keyPolicyResponse },
  problems: [],
  handle: ({ caller }, { database }) => describeKeyPolicy(database.prisma, caller.tenant.id),
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
  async handle(request) {
    const { body, caller, work } = request
    const { id } = caller.tenant
    const policy = toKeyPolicy(body)
    const before = await putKeyPolicy(work.tx, id, policy)
    await recordChange(request, {
      action: 'key_policy.update',
      target: { type: 'tenant', id },
      details: { before: toKeyPolicyRecord(before), after: toKeyPolicyRecord(policy) },
    })
    return describeKeyPolicy(work.tx, id)
  },
})
