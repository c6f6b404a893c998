import {
  ApiProblem,
  ConnectionError,
  DeviceLoginError,
  InvalidTokenError,
  type FieldError,
} from '@hosting/sdk'
import { CommanderError } from 'commander'
import { CliError, Interruption, isKeyRefused } from './exit-codes.ts'
import {
  listedBy,
  nounOf,
  toFlagNames,
  type Argument,
  type Option,
  type ValueKind,
} from './options.ts'

/** An error as it is shown: as lines to users, as one JSON object to programs. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly request_id?: string
  readonly errors?: readonly FieldFailure[]
  readonly hint?: string
  /** Nothing to tell a user, who caused it with Ctrl-C. */
  readonly silent?: true
}

/** A field that the API rejected, and the option and value it came from if known. */
interface FieldFailure {
  readonly pointer: string
  readonly message: string
  readonly option?: string
  readonly value?: string
}

/** The command that failed, with its inputs. */
export interface Invocation {
  readonly options?: Readonly<Record<string, Option<unknown>>>
  readonly arguments?: Readonly<Record<string, Argument>>
  readonly inputs: Readonly<Record<string, unknown>>
}

/** Describes an error that a command threw; undefined if nothing is left to print. */
export function toFailure(error: unknown, invocation?: Invocation): Failure | undefined {
  if (error instanceof Interruption) {
    return { code: error.code, message: error.message, silent: true }
  }
  if (error instanceof CliError) {
    const { code, message, hint } = error
    return { code, message, ...(hint !== undefined && { hint }) }
  }
  if (error instanceof CommanderError) return toUsageFailure(error)
  if (error instanceof DeviceLoginError) return toLoginFailure(error)
  if (error instanceof ApiProblem) return toProblemFailure(error, invocation)
  if (error instanceof InvalidTokenError) return { code: 'invalid_token', message: error.message }
  if (error instanceof ConnectionError) {
    return { code: 'no_connection', message: `${error.message}${causeOf(error)}` }
  }
  return { code: 'unexpected', message: error instanceof Error ? error.message : String(error) }
}

/** The message of a denied login says which policy of the organization does not allow it, if it is one. */
const toLoginFailure = ({ reason, message }: DeviceLoginError): Failure =>
  reason === 'refused'
    ? { code: 'access_denied', message: `${message} No key was created.` }
    : {
        code: 'expired_token',
        message: 'The code expired before it was approved.',
        hint: 'Run hctl login again to get a new code.',
      }

/** Commander throws for help and version too, after printing them. */
function toUsageFailure({ code, message }: CommanderError): Failure | undefined {
  if (/^commander\.(help|helpDisplayed|version)$/.test(code)) return undefined
  // The value of an unknown option may be a secret.
  const text = message.replace(/^error: /, '').replace(/^(unknown option '-[^=]*)=[^]*'/, "$1'")
  return { code: 'usage', message: text.charAt(0).toUpperCase() + text.slice(1) }
}

function toProblemFailure(problem: ApiProblem, invocation: Invocation | undefined): Failure {
  const { code, requestId } = problem
  const fields = fieldErrorsOf(problem)
  const errors = fields.map((error) => ({ ...error, ...findInput(error, invocation) }))
  const hint = findHint(problem, invocation)
  return {
    code,
    message: toMessage(problem, invocation),
    ...(requestId !== undefined && { request_id: requestId }),
    ...(errors.length > 0 && { errors }),
    ...(hint !== undefined && { hint }),
  }
}

/** An OAuth endpoint names the invalid member in its sentence: "… `client_id` must have a visible character." */
function fieldErrorsOf({ code, detail, errors }: ApiProblem): readonly FieldError[] {
  const sentence = code === 'invalid_request' ? /`(\w+)` (must .+?)\.?$/.exec(detail) : null
  const [, member, message] = sentence ?? []
  return member && message ? [{ pointer: `/${member}`, message }] : errors
}

/** The codes whose sentence says no more than the errors of their fields. */
const namesFields: ReadonlySet<string> = new Set(['validation_failed', 'invalid_request'])

function toMessage(problem: ApiProblem, invocation: Invocation | undefined): string {
  if (problem.code === 'unexpected_answer') {
    return `The server's response is not from this API (HTTP ${problem.status}). Check the URL, and that the service is running.`
  }
  if (namesFields.has(problem.code) && fieldErrorsOf(problem).length > 0) {
    return 'One or more values are invalid.'
  }
  const record = problem.code === 'not_found' ? findRecord(invocation) : undefined
  return record
    ? `There is no ${nounOf(record.kind)} with the id "${record.id}", or this key cannot access it.`
    : problem.message
}

function findHint(problem: ApiProblem, invocation: Invocation | undefined): string | undefined {
  const { status, code, errors, retryAfterSeconds } = problem
  if (code === 'invalid_grant') {
    return 'In the panel, the page of the workload key shows why: under Last exchanges.'
  }
  if (isKeyRefused(problem)) return 'Run hctl login, or set HCTL_TOKEN to another key.'
  if (status === 429 && retryAfterSeconds !== undefined) {
    return `Try again in ${retryAfterSeconds} s.`
  }
  const record = code === 'not_found' ? findRecord(invocation) : undefined
  if (record) return hintOf(record.kind, 'the ids')
  const kind = errors.map((error) => findOption(error, invocation)?.[1].values).find(Boolean)
  return kind && hintOf(kind, 'the valid values')
}

const hintOf = (kind: ValueKind, what: string): string | undefined =>
  listedBy[kind] && `${listedBy[kind]} shows ${what}.`

/** The record that the command names by its id. */
function findRecord(invocation: Invocation | undefined) {
  for (const [name, { values }] of Object.entries(invocation?.arguments ?? {})) {
    if (values) return { kind: values, id: String(invocation!.inputs[name]) }
  }
  return undefined
}

/** The option that sets the field at the pointer, such as `--scope` for `/scopes/0`. */
function findOption({ pointer }: { pointer: string }, invocation: Invocation | undefined) {
  const field = pointer.split('/')[1]
  return Object.entries(invocation?.options ?? {}).find(
    ([name, option]) => (option.field ?? toSnakeCase(name)) === field,
  )
}

function findInput(
  error: { pointer: string },
  invocation: Invocation | undefined,
): Pick<FieldFailure, 'option' | 'value'> {
  const [name, option] = findOption(error, invocation) ?? []
  if (name === undefined || !option) return {}
  const given = invocation!.inputs[name]
  const value: unknown = Array.isArray(given) ? given[Number(error.pointer.split('/')[2])] : given
  return {
    option: toFlagNames(name, option)[0]!,
    ...((typeof value === 'string' || typeof value === 'number') && { value: String(value) }),
  }
}

const toSnakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function causeOf({ cause }: Error): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const { code } = (inner ?? {}) as { code?: unknown }
  return typeof code === 'string' ? ` (${code})` : ''
}
