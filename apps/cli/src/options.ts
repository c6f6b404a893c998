import { InvalidArgumentError } from 'commander'
import { parseDuration, parseTime } from './durations.ts'
import { usageError } from './exit-codes.ts'

/** What shell completion offers for a value; `completion/values.ts` looks the values up. */
export type ValueKind =
  | 'account'
  | 'action'
  | 'actor'
  | 'any-key'
  | 'delivery'
  | 'event'
  | 'event-type'
  | 'key'
  | 'pattern'
  | 'profile'
  | 'scope'
  | 'webhook'

/** Commands that list the valid values. No command lists accounts. */
export const listedBy: Readonly<Record<ValueKind, string | undefined>> = {
  account: undefined,
  action: 'hctl audit',
  actor: 'hctl audit --json',
  'any-key': 'hctl keys list',
  delivery: 'hctl deliveries list',
  event: 'hctl deliveries list --json',
  'event-type': 'hctl events types',
  key: 'hctl keys list',
  pattern: 'hctl events types',
  profile: 'hctl profiles list',
  scope: 'hctl keys scopes',
  webhook: 'hctl webhooks list',
}

/** A record of the kind, in a sentence. */
export const nounOf = (kind: ValueKind): string => (kind === 'any-key' ? 'key' : kind)

/** A positional argument of a command. */
export interface Argument {
  readonly description: string
  readonly values?: ValueKind
  readonly choices?: readonly string[]
  /** Takes all remaining words, of which there may be none. */
  readonly rest?: true
}

/** An option of a command; the type of its value follows from it. */
export interface Option<Value> {
  readonly description: string
  /** Stands for the value in the help; a switch has none. */
  readonly placeholder?: string
  /** The option may be given without a value, and is then `true`. */
  readonly valueOptional?: true
  readonly required?: true
  readonly repeatable?: true
  /** `--no-…` only, or both `--…` and `--no-…`. */
  readonly negation?: 'only' | 'also'
  readonly choices?: readonly string[]
  readonly values?: ValueKind
  /** The API's name for the value, if it is not the option's name in snake_case. */
  readonly field?: string
  /** A method, so that options of all value types fit in one table. */
  parse?(text: string, previous: Value | undefined): Value
}

export type ValueOf<O> = O extends Option<infer Value> ? Value : never

type Maybe<Value> = Option<Value | undefined>
type Extras = Pick<Option<unknown>, 'field' | 'values'>

export const text = (
  placeholder: string,
  description: string,
  extras: Extras = {},
): Maybe<string> => ({ placeholder, description, ...extras })

/** A text, or `true` without one. */
export const optionalText = (placeholder: string, description: string): Maybe<string | true> => ({
  placeholder,
  description,
  valueOptional: true,
})

export const required = <Value>(option: Option<Value>): Option<Exclude<Value, undefined>> => ({
  ...(option as Option<Exclude<Value, undefined>>),
  required: true,
})

export const choice = <const Choice extends string>(
  choices: readonly Choice[],
  description: string,
): Maybe<Choice> => ({ placeholder: choices.join('|'), description, choices })

/** Accepts several values: the option repeated, or values separated by commas. */
export const list = (
  placeholder: string,
  description: string,
  extras: Extras = {},
): Maybe<string[]> => ({
  placeholder,
  description: `${description} (repeatable, or separated by commas)`,
  repeatable: true,
  ...extras,
  parse: (value, previous = []) => [...previous, ...value.split(',').map((part) => part.trim())],
})

export const integer = (
  placeholder: string,
  description: string,
  extras: Extras = {},
): Maybe<number> => ({
  placeholder,
  description,
  ...extras,
  parse(value) {
    if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('Expected a whole number.')
    return Number(value)
  },
})

/** A whole number, or `none`, which removes a limit. Commander replaces null by an empty text. */
export const limit = (
  placeholder: string,
  description: string,
  extras: Extras = {},
): Maybe<number | 'none'> => ({
  placeholder,
  description: `${description}, or none`,
  ...extras,
  parse(value) {
    if (value === 'none') return 'none'
    if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('Expected a whole number or none.')
    return Number(value)
  },
})

/** A duration, in seconds. */
export const duration = (description: string, extras: Extras = {}): Maybe<number> => ({
  placeholder: 'duration',
  description: `${description}, for example 90s, 15m, 24h or 7d`,
  ...extras,
  parse: (value) =>
    orInvalid(parseDuration(value), 'Expected a duration such as 90s, 15m, 24h or 7d.'),
})

/** A time in the past, as the API writes times. */
export const pastTime = (description: string): Maybe<string> => ({
  placeholder: 'time',
  description: `${description}: a time, a duration before now such as 24h, today or yesterday (UTC)`,
  parse: (value) =>
    orInvalid(
      parseTime(value, Date.now()),
      'Expected a time such as 2026-01-31T12:00:00Z, a duration before now such as 24h, today or yesterday.',
    ),
})

export const flag = (description: string): Maybe<boolean> => ({ description })

/** `--no-…`: the value is true unless the option is given. */
export const unless = (description: string): Option<boolean> => ({ description, negation: 'only' })

/** `--…` or `--no-…`; undefined if neither is given. */
export const either = (description: string): Maybe<boolean> => ({ description, negation: 'also' })

function orInvalid<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw new InvalidArgumentError(message)
  return value
}

/** Every flag of an option: `--x`, `--no-x`, or both. */
export function toFlagNames(name: string, { negation }: Option<unknown>): string[] {
  const long = toKebabCase(name)
  if (negation === 'only') return [`--no-${long}`]
  return negation === 'also' ? [`--${long}`, `--no-${long}`] : [`--${long}`]
}

/** The value of an option as a synopsis writes it: ` <id>`, ` [id]`, or nothing for a switch. */
export const toValueSynopsis = ({ placeholder, valueOptional }: Option<unknown>): string => {
  if (placeholder === undefined) return ''
  return valueOptional ? ` [${placeholder}]` : ` <${placeholder}>`
}

/** An argument as a synopsis writes it: `<webhook-id>`, or `[ids...]` for all remaining words. */
export const toSynopsis = (name: string, { rest }: Argument): string =>
  rest ? `[${toKebabCase(name)}...]` : `<${toKebabCase(name)}>`

/** `expiresIn` as it is written on a command line: `expires-in`. */
export const toKebabCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Arguments that name a record: by its id, the beginning of its id, or its name. */
export const keyId: Argument = { description: 'Id, name or external id of the key', values: 'key' }
/** For commands that only read: revoked keys are completed too. */
export const anyKeyId: Argument = {
  description: 'Id, name or external id of the key',
  values: 'any-key',
}
export const endpointId: Argument = {
  description: 'Id, description, URL or external id of the webhook',
  values: 'webhook',
}
export const deliveryId: Argument = { description: 'Id of the delivery', values: 'delivery' }

/** The option of commands that destroy something. */
export const yes = flag('Skip the confirmation; required if there is no terminal')

/** The external id of a new record, or `none`; {@link toExternalId} converts it. */
export const externalId = text('id', 'Id under which your own tools know it; none removes it', {
  field: 'external_id',
})

/** A filter of a list. */
export const externalIdFilter = text('id', 'Only the one with this external id', {
  field: 'external_id',
})

export const toExternalId = (given: string | undefined): string | null | undefined =>
  given === 'none' ? null : given

/** @throws a usage error for the first pair of options of which both are given. */
export function refuseTogether<Options extends object>(
  options: Options,
  ...pairs: readonly (readonly [keyof Options & string, keyof Options & string])[]
): void {
  for (const [one, other] of pairs) {
    if (options[one] && options[other]) {
      const names = [one, other].map((name) => `--${toKebabCase(name)}`)
      throw usageError('usage', `${names.join(' and ')} cannot be combined.`)
    }
  }
}

/** An object type in which members that may be undefined are optional instead. */
type OmitUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Drops members that are undefined, so options that were not given are not sent to the API. */
export const omitUndefined = <T extends object>(members: T): OmitUndefined<T> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as OmitUndefined<T>
