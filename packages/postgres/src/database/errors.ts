import { Prisma } from '../generated/client.ts'

/** Whether PostgreSQL refused a duplicate (SQLSTATE 23505), through Prisma or directly. */
export function isUniqueViolation(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientKnownRequestError) {
    return error.code === 'P2002' || sqlState(error) === '23505'
  }
  return codeOf(error) === '23505'
}

/** Whether the transaction lost a conflict and can be retried: a deadlock or a serialization failure. */
export function isTransient(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientKnownRequestError) {
    return error.code === 'P2034' || /^(40001|40P01)$/.test(sqlState(error) ?? '')
  }
  return /^(40001|40P01)$/.test(codeOf(error) ?? '')
}

const runsMax = 3

/**
 * Runs a transaction or a single statement, and retries it after a lost conflict, when it was rolled
 * back.
 */
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
 * Whether PostgreSQL could not do the work but may be able to later: it was unreachable, is shutting
 * down, did not respond or finish in time, or aborted the transaction in favor of another one.
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
/** The kinds of driver errors of raw statements that have no Prisma error code. */
const unavailableKinds = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout'])
const unavailableMessage =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client (has encountered|was closed))/

/**
 * The codes with which PostgreSQL or a socket says that the work may succeed later: SQLSTATE classes 08 (connection
 * exception), 53 (insufficient resources: disk, memory, connections) and 57 (operator intervention, statement
 * timeout), 55P03 (lock timeout), 25006 (read-only), 25P03 and 25P04 (idle in transaction, transaction timeout),
 * 58030 (I/O error), and the socket's own codes.
 */
const isUnavailableCode = (code: string | undefined): boolean =>
  code !== undefined &&
  /^(08|53|57P|57014|55P03|25006|25P03|25P04|58030|ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/.test(
    code,
  )

/** SQLSTATE of a write in a read-only session. */
export const readOnlyCode = '25006'

/**
 * Whether the server refuses every write, or every connection: read-only, disk full, too many connections, I/O error.
 * The other codes of class 53 can concern a single statement.
 */
export const isRefusal = (code: string | undefined): boolean =>
  code !== undefined && [readOnlyCode, '53100', '53300', '58030'].includes(code)

// In another context, such as that of a test, Node's own errors are not `instanceof Error`.
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
