import { namesClaim, textsOfClaim, toClaimPath } from './claim-path.ts'
import type { Claims } from './identity-token.ts'
import { nameOfIssuer, type IssuerName } from './issuer.ts'
import { conditionPrefixLengthMin, subjectPrefixLengthMin } from './limits.ts'

/** The conditions of a workload key: each claim with the strings that it may equal. */
export type WorkloadConditions = Readonly<Record<string, string | readonly string[]>>

/** A condition that is not allowed. */
export interface ConditionError {
  /** The JSON pointer to it, relative to the conditions. */
  readonly pointer: string
  readonly message: string
}

/** For these issuers, the conditions must name an id that nobody else can register. */
const requiredClaims: Readonly<Record<IssuerName, readonly string[]>> = {
  github: ['repository_id', 'repository_owner_id'],
  gitlab: ['project_id', 'namespace_id'],
  other: [],
}

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
  const errors = Object.entries(conditions).flatMap(([claim, accepted]) => {
    const message = checkName(claim)
    return message ? { pointer: pointerTo(claim), message } : misplacedWildcards(claim, accepted)
  })
  const required = requiredClaims[nameOfIssuer(issuer)]
  if (required.length === 0 || namesId(issuer, required, conditions)) return errors
  const message = `For ${issuer}, the conditions must name ${required.join(' or ')}, without \`*\`: names can be registered again by somebody else, ids cannot.`
  return [...errors, { pointer: '', message }]
}

/** A member that is lost when an object is copied. Without its condition, a key would accept more tokens. */
const droppedName = '__proto__'

function checkName(claim: string): string | undefined {
  if (claim === droppedName) return 'The name is reserved: no condition can have it.'
  if (toClaimPath(claim)) return undefined
  return 'A name that begins with `/` is a JSON Pointer (RFC 6901), in which only ~0 and ~1 may follow a `~`.'
}

const pointerTo = (claim: string): string => `/${claim.replaceAll('~', '~0').replaceAll('/', '~1')}`

function misplacedWildcards(
  claim: string,
  accepted: string | readonly string[],
): readonly ConditionError[] {
  const prefixLengthMin = namesClaim(claim, 'sub')
    ? subjectPrefixLengthMin
    : conditionPrefixLengthMin
  const characters = prefixLengthMin === 1 ? 'character' : 'characters'
  return valuesOf(accepted).flatMap((value, index) =>
    isWellFormed(value, prefixLengthMin)
      ? []
      : {
          pointer: `${pointerTo(claim)}${typeof accepted === 'string' ? '' : `/${index}`}`,
          message: `A \`*\` is only allowed at the end, after at least ${prefixLengthMin} other ${characters}.`,
        },
  )
}

function isWellFormed(value: string, prefixLengthMin: number): boolean {
  const at = value.indexOf('*')
  if (at === -1) return true
  return at === value.length - 1 && Array.from(value).length > prefixLengthMin
}

/** Whether the conditions name one of the ids, or subjects of GitHub with ids. */
const namesId = (issuer: string, ids: readonly string[], conditions: WorkloadConditions): boolean =>
  Object.entries(conditions).some(([claim, accepted]) => {
    const values = valuesOf(accepted)
    if (ids.some((id) => namesClaim(claim, id))) return values.every((value) => !isPrefix(value))
    const isSubject = namesClaim(claim, 'sub') && nameOfIssuer(issuer) === 'github'
    return isSubject && values.every(holdsId)
  })

/**
 * The beginnings of GitHub's subjects that hold ids: immutable ones (`repo:octocat@123456/site@456789:…`), and customized
 * ones that begin with an id. What follows a subject's beginning can hold names that other people choose.
 */
const subjectsWithId = /^(repo:[\w.-]+@\d+\/|repository_(owner_)?id:\d+:)/

const holdsId = (subject: string): boolean =>
  subjectsWithId.test(isPrefix(subject) ? subject.slice(0, -1) : `${subject}:`)

const isPrefix = (value: string): boolean => value.endsWith('*')

const valuesOf = (accepted: string | readonly string[]): readonly string[] =>
  typeof accepted === 'string' ? [accepted] : accepted

/** A condition with the claim of an identity token. */
export interface CheckedCondition {
  readonly claim: string
  readonly accepted: readonly string[]
  /** The text that meets the condition, or else the first. `undefined`: the claim has no text. */
  readonly actual: string | undefined
  readonly isMet: boolean
}

/**
 * Checks an identity token against the conditions of a key. A claim meets a condition if one of its texts equals one of
 * the strings: see {@link textsOfClaim}.
 */
export const compareConditions = (
  conditions: WorkloadConditions,
  claims: Claims,
): readonly CheckedCondition[] =>
  Object.entries(conditions).map(([claim, condition]) => {
    const accepted = valuesOf(condition)
    const texts = textsOfClaim(claims.all, claim)
    const met = texts.find((text) => accepted.some((value) => accepts(value, text)))
    return { claim, accepted, actual: met ?? texts[0], isMet: met !== undefined }
  })

const accepts = (value: string, text: string): boolean =>
  isPrefix(value) ? text.startsWith(value.slice(0, -1)) : text === value
