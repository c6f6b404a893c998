import { ApiProblem, ConnectionError, DeviceLoginError } from '@hosting/sdk'
import { CommanderError } from 'commander'

/** The exit codes that scripts may rely on. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** Only of `hctl plan`, as `terraform plan -detailed-exitcode` has it. */
  changes: 2,
  refused: 3,
  expired: 4,
  rateLimited: 5,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A command that cannot continue; the message is shown to the user. */
export class CliError extends Error {
  override readonly name: string = 'CliError'
  readonly code: string
  readonly exitCode: ExitCode
  /** What to do about it. */
  readonly hint: string | undefined

  constructor(
    code: string,
    message: string,
    { exitCode = exitCodes.failed, hint }: { exitCode?: ExitCode; hint?: string } = {},
  ) {
    super(message)
    this.code = code
    this.exitCode = exitCode
    this.hint = hint
  }
}

/** Ctrl-C, SIGTERM, or SIGHUP of a terminal that was closed. */
export class Interruption extends CliError {
  override readonly name = 'Interruption'

  constructor(exitCode: ExitCode = exitCodes.interrupted) {
    super('interrupted', 'Interrupted.', { exitCode })
  }
}

/** An error in how the command line was written. */
export const usageError = (code: string, message: string, hint?: string): CliError =>
  new CliError(code, message, { exitCode: exitCodes.usage, ...(hint !== undefined && { hint }) })

/** The exit code for an error that a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  if (error instanceof DeviceLoginError) return exitCodes[error.reason]
  if (error instanceof ApiProblem) return exitCodeOfStatus(error.status)
  return exitCodes.failed
}

function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.refused
  return status === 429 ? exitCodes.rateLimited : exitCodes.failed
}

/** Whether the server rejected the key itself. */
export const isKeyRefused = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === 401

/** Whether no response came, or only one that a proxy or a broken service sent. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiProblem && error.status >= 500)
