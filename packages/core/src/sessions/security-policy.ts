/** How an organization protects sign-ins and device logins (docs/specification/sign-in.md#security-policy). */
export interface SecurityPolicy {
  readonly secondFactorRequired: boolean
  /** From when on a second factor is required. Null, or in the past: now. */
  readonly secondFactorFrom: Date | null
  readonly deviceLogin: DeviceLoginRule
  /** Whether the approver of a device login must be in the network that requested its code. */
  readonly deviceLoginSameNetwork: boolean
}

/** Who may approve device logins: everyone, only the role `admin`, or nobody. */
export const deviceLoginRules = ['everyone', 'admins', 'off'] as const
export type DeviceLoginRule = (typeof deviceLoginRules)[number]

/**
 * What a session lacks of a required second factor: its person has none, or has a passkey and has only shown a
 * password in this session.
 */
export type MissingSecondFactor = 'none' | 'unconfirmed'

/** How far ahead {@link SecurityPolicy.secondFactorFrom} may be, in days. */
export const secondFactorDaysMax = 30

/** The policy of an organization that has set none. */
export const openSecurityPolicy: SecurityPolicy = {
  secondFactorRequired: false,
  secondFactorFrom: null,
  deviceLogin: 'everyone',
  deviceLoginSameNetwork: false,
}

/** Whether the policy requires a second factor now. */
export const isSecondFactorInForce = (
  { secondFactorRequired, secondFactorFrom }: SecurityPolicy,
  now: Date,
): boolean => secondFactorRequired && (secondFactorFrom === null || secondFactorFrom <= now)
