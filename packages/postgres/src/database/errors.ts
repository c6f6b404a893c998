import { setTimeout } from 'node:timers/promises'
import { Prisma } from '../generated/client.ts'
import { refusesSettings } from './session-settings.ts'

/** Whether PostgreSQL refused a reference to a row that does not exist (SQLSTATE 23503), through Prisma or directly. */
export function isForeignKeyViolation(error: unknown): boolean {
  return prismaCodeOf(error) === 'P2003' || sqlStateOf(error) === '23503'
}

/** Whether PostgreSQL refused a duplicate (SQLSTATE 23505), through Prisma or directly. */
export function isUniqueViolation(error: unknown): boolean {
  return prismaCodeOf(error) === 'P2002' || sqlStateOf(error) === '23505'
}

/** Whether PostgreSQL ended a statement that took too long, or that somebody cancelled (SQLSTATE 57014). */
export const isStatementTimeout = (error: unknown): boolean => sqlStateOf(error) === '57014'

/**
 * Whether a row has no partition (SQLSTATE 23514), or a statement names a day partition that does not exist (42P01). A
 * violated check has the first code, too, and the name of its constraint, which Prisma does not pass on.
 */
export function isMissingPartition(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state === '42P01') return /_\d{8}\b/.test(textOf(error, 'message') ?? '')
  return state === '23514' && textOf(error, 'constraint') === undefined
}

/** Whether the transaction lost a conflict and can be retried: a deadlock or a serialization failure. */
export function isTransient(error: unknown): boolean {
  return prismaCodeOf(error) === 'P2034' || /^(40001|40P01)$/.test(sqlStateOf(error) ?? '')
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
 * down, did not respond or finish in time, admitted no session, or aborted the transaction in favor of another one. A
 * partition that is missing although the upcoming ones were just created is that of another day: the clocks differ, but
 * not for long.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isTransient(error) || isMissingPartition(error)) return true
  if (error instanceof Prisma.PrismaClientInitializationError) return true
  return (
    unavailablePrismaCodes.has(prismaCodeOf(error) ?? '') ||
    (isOfPrisma(error) && unavailableKinds.has(driverCauseOf(error)?.kind ?? '')) ||
    isUnavailableCode(sqlStateOf(error)) ||
    isTlsFailure(sqlStateOf(error)) ||
    unavailableMessage.test(textOf(error, 'message') ?? '')
  )
}

/** The pause of {@link retryWhileUnavailable}, in ms. */
const againMs = 200

/**
 * Runs an operation, and retries it while PostgreSQL is unavailable.
 *
 * @param untilMs - a time of `performance.now()`, after which the error is thrown.
 */
export async function retryWhileUnavailable<Result>(
  run: () => Promise<Result>,
  untilMs: number,
): Promise<Result> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (performance.now() >= untilMs || !isDatabaseUnavailable(error)) throw error
      await setTimeout(againMs)
    }
  }
}

/**
 * Whether a process that starts can wait for PostgreSQL. An address, a password, a role or a pooler that cannot be used
 * are errors of the configuration.
 */
export const isWorthWaiting = (error: unknown): boolean =>
  isDatabaseUnavailable(error) &&
  !refusesSettings(error) &&
  !/^(28|3D)/.test(sqlStateOf(error) ?? '') &&
  !isTlsFailure(sqlStateOf(error))

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
const unavailableKinds = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TlsConnectionError',
])
const unavailableMessage =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client (has encountered|was closed))/

/**
 * The codes with which PostgreSQL or a socket says that the work may succeed later: SQLSTATE classes 08 (connection
 * exception), 28 (the role may not connect), 3D (there is no such database), 53 (insufficient resources: disk, memory,
 * connections) and 57 (operator intervention, statement timeout), 55000 (the server is a standby, or its database admits
 * no sessions), 55P03 (lock timeout), 25006 (read-only), 25P03 and 25P04 (idle in transaction, transaction timeout),
 * 58030 (I/O error), and the socket's own codes.
 */
const isUnavailableCode = (code: string | undefined): boolean =>
  code !== undefined &&
  /^(08|28|3D|53|57P|57014|55000|55P03|25006|25P03|25P04|58030|ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/.test(
    code,
  )

/** The codes with which Node refuses the certificate of a server, for example one that has expired. */
const isTlsFailure = (code: string | undefined): boolean =>
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_|ERR_SSL_)/.test(code ?? '')

/** SQLSTATE of a write in a read-only session. */
export const readOnlyCode = '25006'

/**
 * Whether the server refuses every write, or every connection: read-only, disk full, too many connections, I/O error.
 * The other codes of class 53 can concern a single statement.
 */
export const isUnusableServer = (code: string | undefined): boolean =>
  code !== undefined && [readOnlyCode, '53100', '53300', '58030'].includes(code)

const prismaCodeOf = (error: unknown): string | undefined =>
  error instanceof Prisma.PrismaClientKnownRequestError ? error.code : undefined

/**
 * The SQLSTATE of PostgreSQL's error, or the code of a socket's error. Prisma gives its own error the code of one of the
 * pool that it does not know.
 */
const sqlStateOf = (error: unknown): string | undefined =>
  (isOfPrisma(error) ? driverCauseOf(error)?.originalCode : undefined) ?? textOf(error, 'code')

interface DriverCause {
  readonly originalCode?: string
  readonly kind?: string
}

/** What Prisma's driver says of an error. Prisma wraps the error of a statement, but not that of its own COMMIT. */
function driverCauseOf(error: unknown): DriverCause | undefined {
  const { driverAdapterError } = (error as { meta?: { driverAdapterError?: unknown } }).meta ?? {}
  return ((driverAdapterError ?? error) as { cause?: DriverCause }).cause
}

const isOfPrisma = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError ||
  textOf(error, 'name') === 'DriverAdapterError'

// In another context, such as that of a test, Node's own errors are not `instanceof Error`.
function textOf(
  error: unknown,
  member: 'code' | 'constraint' | 'message' | 'name',
): string | undefined {
  const value = (error as Record<string, unknown> | null | undefined)?.[member]
  return typeof value === 'string' ? value : undefined
}
