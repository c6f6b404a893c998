import { InvalidArgumentError } from 'commander'
import { parseDuration, parseTime } from './spans.ts'

/** An option of a command, from which its type follows. */
export interface Option<Value> {
  readonly description: string
  /** What stands for the value in the help; none for a switch. */
  readonly placeholder?: string
  readonly required?: true
  readonly repeatable?: true
  /** `--no-…` alone, or both it and its opposite. */
  readonly negation?: 'only' | 'also'
  readonly choices?: readonly string[]
  /** A method, so that options of all types stand in one table. */
  parse?(text: string, previous: Value | undefined): Value
}

export type ValueOf<O> = O extends Option<infer Value> ? Value : never

type Maybe<Value> = Option<Value | undefined>

export const text = (placeholder: string, description: string): Maybe<string> => ({
  placeholder,
  description,
})

export const required = <Value>(option: Option<Value>): Option<Exclude<Value, undefined>> => ({
  ...(option as Option<Exclude<Value, undefined>>),
  required: true,
})

export const choice = <const Choice extends string>(
  choices: readonly Choice[],
  description: string,
): Maybe<Choice> => ({ placeholder: choices.join('|'), description, choices })

/** Given several times, or once with commas. */
export const list = (placeholder: string, description: string): Maybe<string[]> => ({
  placeholder,
  description: `${description} (repeatable, or with commas)`,
  repeatable: true,
  parse: (value, previous = []) => [...previous, ...value.split(',').map((part) => part.trim())],
})

export const integer = (placeholder: string, description: string): Maybe<number> => ({
  placeholder,
  description,
  parse(value) {
    if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('Not a whole number.')
    return Number(value)
  },
})

/** A length of time, as seconds. */
export const duration = (description: string): Maybe<number> => ({
  placeholder: 'duration',
  description: `${description}, for example 90s, 15m, 24h or 7d`,
  parse: (value) => orInvalid(parseDuration(value), 'Not a duration such as 15m, 24h or 7d.'),
})

/** A time, or how long ago, as the API writes times. */
export const pastTime = (description: string): Maybe<string> => ({
  placeholder: 'time',
  description: `${description}: a time, or how long ago, for example 24h`,
  parse: (value) => orInvalid(parseTime(value, Date.now()), 'Neither a time nor a duration.'),
})

export const flag = (description: string): Maybe<boolean> => ({ description })

/** `--no-…`: true unless it is given. */
export const unless = (description: string): Option<boolean> => ({ description, negation: 'only' })

/** `--…` or `--no-…`, or neither. */
export const either = (description: string): Maybe<boolean> => ({ description, negation: 'also' })

function orInvalid<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw new InvalidArgumentError(message)
  return value
}
