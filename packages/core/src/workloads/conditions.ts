import type { Claims } from './identity-token.ts'
import { knownIssuers } from './known-issuers.ts'
import { conditionPrefixLengthMin } from './limits.ts'

/** The conditions of a workload key: each claim with the strings that it may equal. */
export type WorkloadConditions = Readonly<Record<string, string | readonly string[]>>

/** A condition that is not allowed. */
export interface ConditionError {
  /** The JSON pointer to it, relative to the conditions. */
  readonly pointer: string
  readonly message: string
}

/** For these issuers, the conditions must name an id that nobody else can register. */
const requiredClaims: ReadonlyMap<string, readonly string[]> = new Map<string, string[]>([
  [knownIssuers.github, ['repository_id', 'repository_owner_id']],
  [knownIssuers.gitlab, ['project_id', 'namespace_id']],
])

/**
 * Checks the conditions of a workload key (docs/specification/workload-keys.md#conditions). Their number and
 * lengths are checked by the schema of the request.
 *
 * @returns every error. Empty: the conditions are allowed.
 */
export function checkConditions(
  issuer: string,
  conditions: WorkloadConditions,
): readonly ConditionError[] {
  const errors = Object.entries(conditions).flatMap(([claim, accepted]) =>
    claim === droppedName
      ? { pointer: `/${claim}`, message: 'The name is reserved: no condition can have it.' }
      : misplacedWildcards(claim, accepted),
  )
  const required = requiredClaims.get(issuer)
  if (!required || required.some((claim) => isExact(conditions, claim))) return errors
  const message = `For ${issuer}, the conditions must name ${required.join(' or ')}, without \`*\`: names can be registered again by somebody else, ids cannot.`
  return [...errors, { pointer: '', message }]
}

/** A member that is lost when an object is copied. Without its condition, a key would accept more tokens. */
const droppedName = '__proto__'

function misplacedWildcards(
  claim: string,
  accepted: string | readonly string[],
): readonly ConditionError[] {
  const values = valuesOf(accepted)
  const path = `/${claim.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return values.flatMap((value, index) =>
    isWellFormed(value)
      ? []
      : {
          pointer: typeof accepted === 'string' ? path : `${path}/${index}`,
          message: `A \`*\` is only allowed at the end, after at least ${conditionPrefixLengthMin} other characters.`,
        },
  )
}

function isWellFormed(value: string): boolean {
  const at = value.indexOf('*')
  if (at === -1) return true
  return at === value.length - 1 && Array.from(value).length > conditionPrefixLengthMin
}

const isExact = (conditions: WorkloadConditions, claim: string): boolean =>
  Object.hasOwn(conditions, claim) &&
  valuesOf(conditions[claim]!).every((value) => !value.endsWith('*'))

const valuesOf = (accepted: string | readonly string[]): readonly string[] =>
  typeof accepted === 'string' ? [accepted] : accepted

/** A condition with the claim of an identity token. */
export interface CheckedCondition {
  readonly claim: string
  readonly accepted: readonly string[]
  /** `undefined`: the token does not have the claim as a string, number or boolean. */
  readonly actual: string | undefined
  readonly isMet: boolean
}

/**
 * Checks an identity token against the conditions of a key. A claim meets a condition if it equals one of its strings,
 * numbers and booleans by their JSON text. Other values meet no condition.
 */
export const compareConditions = (
  conditions: WorkloadConditions,
  claims: Claims,
): readonly CheckedCondition[] =>
  Object.entries(conditions).map(([claim, condition]) => {
    const accepted = valuesOf(condition)
    const actual = claims.texts.get(claim)
    const isMet = actual !== undefined && accepted.some((value) => accepts(value, actual))
    return { claim, accepted, actual, isMet }
  })

const accepts = (value: string, text: string): boolean =>
  value.endsWith('*') ? text.startsWith(value.slice(0, -1)) : text === value
