import { ApiProblem, ConnectionError, DeviceLoginError } from '@hosting/sdk'
import { CommanderError } from 'commander'

/** What scripts may rely on. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  expired: 4,
  rateLimited: 5,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A command that cannot go on, with what to say to the person. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: string
  readonly exitCode: ExitCode

  constructor(code: string, message: string, exitCode: ExitCode = exitCodes.failed) {
    super(message)
    this.code = code
    this.exitCode = exitCode
  }
}

/** Ctrl-C, or a polite request to end. */
export class Interruption extends CliError {
  constructor(exitCode: ExitCode = exitCodes.interrupted) {
    super('interrupted', 'Interrupted.', exitCode)
  }
}

/** An error of how the command line was written. */
export const usageError = (code: string, message: string): CliError =>
  new CliError(code, message, exitCodes.usage)

/** The exit code of what a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  if (error instanceof DeviceLoginError) return exitCodes[error.reason]
  if (error instanceof ApiProblem && error.status === 429) return exitCodes.rateLimited
  return exitCodes.failed
}

/** Whether the server does not know the key (any more). */
export const isKeyRefused = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === 401

/** Whether the server could not be asked at all, or something else answered in its place. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiProblem && error.status >= 500)
