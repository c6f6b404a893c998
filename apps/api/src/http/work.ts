import { failPoint } from '@hosting/core/fail-points'
import { type Problem } from '@hosting/core/problems'
import { retryTransient, type Database, type Transaction } from '@hosting/postgres/database'
import type { Logger } from '@hosting/process'

/** The transaction of a request that changes something, and the effects that follow its commit. */
export interface Work {
  readonly tx: Transaction
  /** Registers an effect that runs after the commit and before the response. Its failure is only logged. */
  afterCommit(effect: () => Promise<void>): void
  /** Commits the work so far, such as an audit row, even though the returned refusal is thrown next. */
  commitDespite(refusal: Problem): Problem
}

/** Runs a change in one transaction. If it throws, nothing is committed, except with {@link Work.commitDespite}. */
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
  failPoint('change.committed')
  for (const effect of effects) {
    await effect().catch((error: unknown) =>
      log.warn({ err: error }, 'a follow-up of a committed change failed'),
    )
  }
  failPoint('change.completed')
  if ('refusal' in outcome) throw outcome.refusal
  return outcome.result
}

/** Runs the change. Returns a refusal of {@link Work.commitDespite} as a value, so that the transaction commits. */
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
    failPoint('change.before-commit')
    return { result }
  } catch (error) {
    if (error !== committing || !committing) throw error
    return { refusal: committing }
  }
}
