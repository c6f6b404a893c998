import { ApiProblem, ConnectionError, DeviceLoginError } from '@hosting/sdk'
import { CommanderError } from 'commander'
import { CliError, isKeyRefused } from './exit-codes.ts'

/** What is said of an error: to people as lines, to programs as one JSON object. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly request_id?: string
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[]
  readonly hint?: string
}

/** What is said of what a command threw; undefined where everything is said already. */
export function toFailure(error: unknown): Failure | undefined {
  if (error instanceof CliError) return { code: error.code, message: error.message }
  if (error instanceof CommanderError) return toUsageFailure(error)
  if (error instanceof DeviceLoginError) return loginFailures[error.reason]
  if (error instanceof ApiProblem) return toProblemFailure(error)
  if (error instanceof ConnectionError) {
    return { code: 'no_connection', message: `${error.message}${causeOf(error)}` }
  }
  return { code: 'unexpected', message: error instanceof Error ? error.message : String(error) }
}

const loginFailures = {
  refused: { code: 'access_denied', message: 'The sign-in was refused. Nothing was given.' },
  expired: {
    code: 'expired_token',
    message: 'The code expired before it was approved.',
    hint: 'Run hctl login again for a new one.',
  },
} as const

/** Help and version throw too: they are printed by then. */
function toUsageFailure({ code, message }: CommanderError): Failure | undefined {
  if (/^commander\.(help|helpDisplayed|version)$/.test(code)) return undefined
  const text = message.replace(/^error: /, '')
  return { code: 'usage', message: text.charAt(0).toUpperCase() + text.slice(1) }
}

function toProblemFailure(problem: ApiProblem): Failure {
  const { code, status, requestId, errors, retryAfterSeconds } = problem
  return {
    code,
    message:
      code === 'unexpected_answer'
        ? `The server gave an answer that is not this API's (HTTP ${status}). Is the address right, and is the service up?`
        : problem.message,
    ...(requestId !== undefined && { request_id: requestId }),
    ...(errors.length > 0 && { errors }),
    ...(isKeyRefused(problem) && {
      hint: 'Sign in again (hctl login), or set another HCTL_TOKEN.',
    }),
    ...(status === 429 &&
      retryAfterSeconds !== undefined && { hint: `Try again in ${retryAfterSeconds} s.` }),
  }
}

function causeOf({ cause }: Error): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const { code } = (inner ?? {}) as { code?: unknown }
  return typeof code === 'string' ? ` (${code})` : ''
}
