import { recordAttempts } from '../../../../test/support/recorded-attempts.ts'
import { useDatabase } from './database.ts'

export const database = useDatabase({ partitions: true })

export type Client = Pick<typeof database.pool, 'query'>

export interface Owner {
  readonly tenantId: string
  readonly endpointId: string
}

/** An attempt: `S` succeeds, `F` fails. */
export type Result = 'S' | 'F'

/** Records attempts of endpoints in one statement, as a worker does. */
export async function recordAll(
  attempts: readonly {
    readonly owner: Owner
    readonly result: Result
    readonly statusCode?: number
  }[],
  client: Client = database.pool,
): Promise<Date[]> {
  const startedAt = attempts.map((_, index) => new Date(Date.now() - 1_000 + index))
  await recordAttempts(
    client,
    attempts.map(({ owner, result, statusCode = 500 }, index) => ({
      ...owner,
      startedAt: startedAt[index]!,
      statusCode: result === 'S' ? 200 : statusCode,
      errorClass: result === 'S' ? null : 'http_error',
    })),
  )
  return startedAt
}

/** Records attempts of one endpoint in one statement: `FFS` is two failures and a success. */
export const record = (owner: Owner, results: string, client?: Client): Promise<Date[]> =>
  recordAll(
    Array.from(results, (result) => ({ owner, result: result as Result })),
    client,
  )

export const failuresOf = async ({ endpointId }: Owner) => {
  const row = await database.prisma.webhookEndpointFailures.findUniqueOrThrow({
    where: { endpointId },
  })
  const { state, consecutiveFailures, firstFailureAt } = row
  return { state, consecutiveFailures, firstFailureAt }
}

/** The incidents of an endpoint, oldest first. */
export const incidentsOf = ({ endpointId }: Owner) =>
  database.prisma.webhookIncident.findMany({ where: { endpointId }, orderBy: { id: 'asc' } })

export const summariesOf = async (owner: Owner) =>
  (await incidentsOf(owner)).map(({ failedAttempts, closedBy }) => ({ failedAttempts, closedBy }))

/** Runs work while a transaction is open, and commits it after `work` has started. */
export async function duringTransaction(
  begin: (client: Client) => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<void> {
  const client = await database.pool.connect()
  try {
    await client.query('BEGIN')
    await begin(client)
    const running = work()
    await untilOneWaits()
    await client.query('COMMIT')
    await running
  } finally {
    client.release()
  }
}

export async function untilOneWaits(): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    if (rows[0]!.waiting > 0) return
  }
}
