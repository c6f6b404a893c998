import { failPoint } from '@hosting/core/fail-points'
import { type Problem } from '@hosting/core/problems'
import {
  retryTransient,
  withPartitions,
  type Database,
  type Transaction,
} from '@hosting/postgres/database'
import type { Logger } from '@hosting/process'

/** The transaction of a request that changes something, and the effects that follow its commit. */
export interface Work {
  readonly tx: Transaction
  /** Registers an effect that runs after the commit and before the response. Its failure is only logged. */
  afterCommit(effect: () => Promise<void>): void
}

/**
 * The problem of a change whose transaction commits, so that its audit row or its counter remains. A use case returns
 * it as its result; a thrown {@link Problem} rolls back.
 */
export class CommittedProblem {
  readonly problem: Problem

  constructor(problem: Problem) {
    this.problem = problem
  }
}

/**
 * Runs a change in one transaction. If it throws, nothing is committed.
 *
 * @throws Problem of a {@link CommittedProblem} that the change returns, after the commit.
 */
export async function inWork<T>(
  database: Database,
  log: Logger,
  run: (work: Work) => Promise<T>,
): Promise<Exclude<T, CommittedProblem>> {
  const runOnce = async () => {
    const registered: (() => Promise<void>)[] = []
    const work = { afterCommit: (effect: () => Promise<void>) => void registered.push(effect) }
    const value = await database.prisma.$transaction(async (tx) => {
      const change = await run({ ...work, tx })
      failPoint('change.before-commit')
      return change
    })
    return { result: value, effects: registered }
  }
  const { result, effects } = await withPartitions(database, () => retryTransient(runOnce))
  failPoint('change.committed')
  for (const effect of effects) {
    await effect().catch((error: unknown) =>
      log.warn({ err: error }, 'a follow-up of a committed change failed'),
    )
  }
  failPoint('change.completed')
  if (result instanceof CommittedProblem) throw result.problem
  return result as Exclude<T, CommittedProblem>
}
