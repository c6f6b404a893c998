import { createTurns, readTurnLimits, type EndTurn, type Turns } from '@hosting/core/concurrency'
import { Problem } from '@hosting/core/problems'
import { AsyncLocalStorage } from 'node:async_hooks'

/** Who reads. */
export interface Reader {
  /** The organization whose turn it is. */
  readonly tenantId: string
  /** The key or person: those of an organization take turns as well. */
  readonly name: string
  /** Whether its reads run one after the other: a session has no rate limit. */
  readonly isPerson?: boolean
}

/** Limits the concurrent reads of each organization in a process. */
export interface ReadTurns {
  /**
   * Reads when it is the organization's turn. What this reads in turn is part of the same turn.
   *
   * @throws Problem `rate_limited`.
   */
  run<T>(reader: Reader, read: () => Promise<T>): Promise<T>
}

/** The limits of {@link createReadTurns}. */
type ReadTurnLimits = { readonly [Name in keyof typeof readTurnLimits]: number }

/**
 * Creates the turns for reads, so that no organization takes all connections and CPU time, and no key or person those of
 * its organization. Further reads wait for their turn; those that wait too long get 429.
 */
export function createReadTurns(limits: ReadTurnLimits = readTurnLimits): ReadTurns {
  const { perKey, total, waitingPerCaller, waitMs } = limits
  const between = createTurns({ perKey, total, waitMs })
  const ofPerson = { perKey: 1, waitingPerKey: waitingPerCaller }
  const within = new Map<string, Turns>()
  const current = new AsyncLocalStorage<string>()

  /** A turn among the callers of an organization, and then one among the organizations. */
  async function take({ tenantId, name, isPerson }: Reader): Promise<EndTurn | undefined> {
    const own =
      within.get(tenantId) ??
      createTurns({ perKey, total: perKey, waitingPerKey: waitingPerCaller, waitMs })
    within.set(tenantId, own)
    const endOwn = await own.take(name, isPerson ? ofPerson : undefined)
    const end = endOwn && (await between.take(tenantId))
    const endBoth = (): void => {
      end?.()
      endOwn?.()
      if (own.taken + own.waiting === 0) within.delete(tenantId)
    }
    if (end) return endBoth
    endBoth()
    return undefined
  }

  return {
    async run(reader, read) {
      if (current.getStore() === reader.tenantId) return read()
      const end = await take(reader)
      if (!end) throw tooManyReads()
      try {
        return await current.run(reader.tenantId, read)
      } finally {
        end()
      }
    },
  }
}

const tooManyReads = (): Problem =>
  new Problem('rate_limited', {
    detail: 'Your organization has too many concurrent reads. Send fewer requests in parallel.',
    headers: { 'Retry-After': '1' },
  })
