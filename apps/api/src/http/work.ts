import type { Problem } from '@hosting/core'
import { retryTransient, type Database, type Transaction } from '@hosting/postgres'
import type { Logger } from '@hosting/process'

/** The one transaction of a changing request, and what follows its commit. */
export interface Work {
  readonly tx: Transaction
  /** Registers what is done after the commit and before the answer. Its failure is logged, and undoes nothing. */
  afterCommit(effect: () => Promise<void>): void
  /** Makes a refusal, thrown next, commit what was done so far all the same: for what the refusal itself leaves behind. */
  commitDespite(refusal: Problem): Problem
}

/** Runs a change in one transaction: all of it is committed, or, if it throws, nothing. */
export async function inWork<T>(
  { prisma }: Database,
  log: Logger,
  run: (work: Work) => Promise<T>,
): Promise<T> {
  const { outcome, effects } = await retryTransient(async () => {
    const registered: (() => Promise<void>)[] = []
    const settled = await prisma.$transaction((tx) => settle(tx, registered, run))
    return { outcome: settled, effects: registered }
  })
  for (const effect of effects) {
    await effect().catch((error: unknown) =>
      log.warn({ err: error }, 'an effect of a change failed'),
    )
  }
  if ('refusal' in outcome) throw outcome.refusal
  return outcome.result
}

/** Runs the change; a refusal that is to commit becomes a value, which ends the transaction well. */
async function settle<T>(
  tx: Transaction,
  effects: (() => Promise<void>)[],
  run: (work: Work) => Promise<T>,
): Promise<{ result: T } | { refusal: Problem }> {
  let committing: Problem | undefined
  try {
    const result = await run({
      tx,
      afterCommit: (effect) => void effects.push(effect),
      commitDespite: (refusal) => (committing = refusal),
    })
    return { result }
  } catch (error) {
    if (error !== committing || !committing) throw error
    return { refusal: committing }
  }
}
