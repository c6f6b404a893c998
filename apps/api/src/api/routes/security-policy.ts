import { deviceLoginRules, secondFactorDaysMax } from '@hosting/core/sessions'
import { findSecurityPolicy } from '@hosting/postgres/sessions'
import { Type } from 'typebox'
import { change, read } from './define-route.ts'
import {
  toSecurityPolicy,
  toSecurityPolicyRecord,
  changeSecurityPolicy,
} from '../use-cases/security-policy.ts'
import { component, described, nullable, wordOf, type RecordOf } from '../schemas/common.ts'

const securityPolicy = component('SecurityPolicy', {
  second_factor_required: Type.Boolean({
    description:
      'Whether people need a passkey or an authenticator app to use a session. Sign-ins by OpenID Connect or a link, and API keys, are not affected.',
  }),
  second_factor_from: nullable(
    Type.String({
      format: 'date-time',
      description: `From when on a second factor is required, at most ${secondFactorDaysMax} days ahead. Null, or a time in the past, for now.`,
    }),
  ),
  device_login: wordOf(
    deviceLoginRules,
    'Who may approve device logins: everyone whose role permits it, only people with the role `admin`, or nobody (`off`).',
  ),
  device_login_same_network: Type.Boolean({
    description:
      'Whether a device login must be approved from the IPv4 /24 or IPv6 /48 that requested its code.',
  }),
})

/** A security policy as the API returns it. */
export type SecurityPolicyRecord = RecordOf<typeof securityPolicy>

const securityPolicyResponse = component('SecurityPolicyResult', {
  policy: described(securityPolicy, 'The security policy.'),
})

export const getSecurityPolicyRoute = read({
  operationId: 'tenant.security-policy',
  withoutTurn: 'few records by id',
  path: '/tenant/security-policy',
  summary: "Get the organization's security policy",
  description:
    'Without a policy, no second factor is required and everyone may approve device logins.',
  auth: 'tenant.read',
  returns: { status: 200, description: 'The policy.', schema: securityPolicyResponse },
  problems: [],
  async handle({ caller }, { database }) {
    const policy = await findSecurityPolicy(database.prisma, caller.tenant.id)
    return { policy: toSecurityPolicyRecord(policy) }
  },
})

export const putSecurityPolicyRoute = change({
  operationId: 'tenant.put-security-policy',
  method: 'PUT',
  path: '/tenant/security-policy',
  summary: "Replace the organization's security policy",
  description:
    'Applies from the next request. To require a second factor, you need one yourself. A session of a person without one then gets 403 `second_factor_required`, except on the routes that set one up, change the password, confirm the identity and manage sessions. Device logins are checked when they are approved and again when the client receives the key.',
  auth: { session: 'tenant.manage' },
  confirmed: true,
  refusesImpersonation: true,
  body: securityPolicy,
  returns: { status: 200, description: 'The new policy.', schema: securityPolicyResponse },
  problems: ['conflict'],
  handle: (request) => changeSecurityPolicy(request, toSecurityPolicy(request.body)),
})
