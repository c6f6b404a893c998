import { PrismaPg } from '@prisma/adapter-pg'

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>
type AdapterTransaction = Awaited<ReturnType<Adapter['startTransaction']>>

/**
 * Prisma's adapter, whose transactions send nothing after their COMMIT or ROLLBACK. When a transaction expires, Prisma
 * queues its ROLLBACK behind the statement in progress, and the operation that this statement belongs to goes on: its
 * next statement would be committed alone.
 */
export class StrictPrismaPg extends PrismaPg {
  override async connect(): Promise<Adapter> {
    const adapter = await super.connect()
    const start = adapter.startTransaction.bind(adapter)
    adapter.startTransaction = async (level) => endOnce(await start(level))
    return adapter
  }
}

function endOnce(transaction: AdapterTransaction): AdapterTransaction {
  const queryRaw = transaction.queryRaw.bind(transaction)
  const executeRaw = transaction.executeRaw.bind(transaction)
  let hasEnded = false
  const requireOpen = (): void => {
    // The text is one that isDatabaseUnavailable knows.
    if (hasEnded) throw new Error('Client was closed: the transaction has ended')
  }
  transaction.queryRaw = async (query) => {
    requireOpen()
    return await queryRaw(query)
  }
  transaction.executeRaw = async (query) => {
    requireOpen()
    hasEnded = query.sql === 'COMMIT' || query.sql === 'ROLLBACK'
    return await executeRaw(query)
  }
  return transaction
}
