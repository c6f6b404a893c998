import { Prisma } from './generated/client.ts'

/** Whether the error is PostgreSQL refusing a duplicate (SQLSTATE 23505), by way of Prisma or not. */
export function isUniqueViolation(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientKnownRequestError) {
    return error.code === 'P2002' || sqlState(error) === '23505'
  }
  return codeOf(error) === '23505'
}

/** Whether the transaction lost against another and may be run again: a deadlock or a serialization failure. */
export function isTransient(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientKnownRequestError) {
    return error.code === 'P2034' || /^(40001|40P01)$/.test(sqlState(error) ?? '')
  }
  return /^(40001|40P01)$/.test(codeOf(error) ?? '')
}

const runsMax = 3

/** Runs a transaction, or a statement that is one, again if it lost against another: nothing of it was kept. */
export async function retryTransient<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let runsLeft = runsMax - 1; ; runsLeft--) {
    try {
      return await run()
    } catch (error) {
      if (runsLeft === 0 || !isTransient(error)) throw error
    }
  }
}

/**
 * Whether PostgreSQL could not do the work at this moment but may do it later: it could not be reached, is
 * shutting down, did not answer or finish in time, or aborted the transaction in favor of another one.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isTransient(error)) return true
  if (error instanceof Prisma.PrismaClientInitializationError) return true
  if (error instanceof Prisma.PrismaClientKnownRequestError) {
    const { originalCode, kind = '' } = driverCause(error) ?? {}
    return (
      unavailablePrismaCodes.has(error.code) ||
      unavailableKinds.has(kind) ||
      isUnavailableCode(originalCode)
    )
  }
  return isUnavailableCode(codeOf(error)) || unavailableMessage.test(messageOf(error))
}

const unavailablePrismaCodes = new Set([
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
])
/** What the driver says of a raw statement, which Prisma gives no code of its own. */
const unavailableKinds = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout'])
const unavailableMessage =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client (has encountered|was closed))/

/**
 * SQLSTATE classes 08 (connection exception) and 57 (operator intervention, statement timeout), 55P03 (lock timeout),
 * 25P03 and 25P04 (idle in transaction, transaction timeout), 53300 (too many connections), and the socket's own codes.
 */
const isUnavailableCode = (code: string | undefined): boolean =>
  code !== undefined &&
  /^(08|57P|57014|55P03|25P03|25P04|53300|ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EHOSTUNREACH)/.test(code)

// Errors of Node itself are no `instanceof Error` in a context of their own, such as a test's.
const codeOf = (error: unknown): string | undefined => textOf(error, 'code')

const messageOf = (error: unknown): string => textOf(error, 'message') ?? ''

function textOf(error: unknown, member: 'code' | 'message'): string | undefined {
  const value = (error as Record<string, unknown> | null | undefined)?.[member]
  return typeof value === 'string' ? value : undefined
}

const sqlState = (error: Prisma.PrismaClientKnownRequestError): string | undefined =>
  driverCause(error)?.originalCode

function driverCause({
  meta,
}: Prisma.PrismaClientKnownRequestError): { originalCode?: string; kind?: string } | undefined {
  return (meta as { driverAdapterError?: { cause?: object } } | undefined)?.driverAdapterError
    ?.cause
}
