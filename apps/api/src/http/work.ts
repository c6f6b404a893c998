import { isTransient, type Database, type Transaction } from '@hosting/postgres'
import type { Logger } from '@hosting/process'

/** The one transaction of a changing request, and what follows its commit. */
export interface Work {
  readonly tx: Transaction
  /** Registers what is done after the commit and before the answer. Its failure is logged, and undoes nothing. */
  afterCommit(effect: () => Promise<void>): void
}

/** How long a changing request may take in its transaction, in ms. */
const transactionMsMax = 10_000
/** How long it may wait for a connection, in ms. */
const connectionMsMax = 5_000

/** Runs a change in one transaction: all of it is committed, or, if it throws, nothing. */
export async function inWork<T>(
  { prisma }: Database,
  log: Logger,
  run: (work: Work) => Promise<T>,
): Promise<T> {
  const { result, effects } = await runOnceOrAgain(async () => {
    const registered: (() => Promise<void>)[] = []
    const value = await prisma.$transaction(
      (tx) => run({ tx, afterCommit: (effect) => void registered.push(effect) }),
      { timeout: transactionMsMax, maxWait: connectionMsMax },
    )
    return { result: value, effects: registered }
  })
  for (const effect of effects) {
    await effect().catch((error: unknown) =>
      log.warn({ err: error }, 'an effect of a change failed'),
    )
  }
  return result
}

/** A transaction that lost against another is run again. */
async function runOnceOrAgain<T>(transact: () => Promise<T>): Promise<T> {
  for (let runsLeft = runsMax - 1; ; runsLeft--) {
    try {
      return await transact()
    } catch (error) {
      if (runsLeft === 0 || !isTransient(error)) throw error
    }
  }
}

const runsMax = 3
