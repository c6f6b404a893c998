import { createUuidv7 } from '@hosting/core/ids'
import { freezeEnvelope, patternsMatching, takeAttempt } from '@hosting/core/webhooks'
import { type Database } from '@hosting/postgres/database'
import { claimAttempts, finishAttempts } from '@hosting/postgres/deliveries'
import { dropExpiredRecords } from '@hosting/postgres/retention'
import { publishEvents } from '@hosting/postgres/webhooks'
import { single } from './figures.ts'
import { fillAttempts, makeHistoryOwner } from './history-data.ts'
import type { SingleFigure } from './results.ts'

const attempts = 1_000_000
const expiredDay = 35
const writers = 4
const secondsBefore = 3

/**
 * Removes a day of a million attempts while events are published, claimed and completed: the duration, and the
 * longest of those writes during it and before.
 */
export async function dropDay(database: Database): Promise<Record<string, SingleFigure>> {
  const { tenantId } = await makeHistoryOwner(database, Buffer.alloc(32), 0)
  await fillAttempts(database, { tenantId, day: expiredDay, attempts })
  const writing = startWriting(database, tenantId)
  await new Promise((resolve) => setTimeout(resolve, secondsBefore * 1_000))
  const before = writing.takeTimes()

  const startedAt = performance.now()
  const { attemptsDeleted, failures } = await dropExpiredRecords(database)
  const took = performance.now() - startedAt
  await writing.stop()
  const during = writing.takeTimes()
  const isGone = attemptsDeleted > attempts * 0.9 && failures.length === 0
  if (!isGone) throw new Error('the day is still there')
  return {
    attempts: single('count', attempts),
    took: single('ms', took),
    writes: single('count', during.length),
    longest_write: single('ms', Math.max(...during)),
    longest_write_before: single('ms', Math.max(...before)),
  }
}

/** Writes continuously as the service does; returns the duration of each statement. */
function startWriting(database: Database, tenantId: string) {
  let times: number[] = []
  const stopping = new AbortController()
  const timed = async <T>(work: Promise<T>): Promise<T> => {
    const before = performance.now()
    const result = await work
    times.push(performance.now() - before)
    return result
  }
  const ended = Promise.all(
    Array.from({ length: writers }, async () => {
      while (!stopping.signal.aborted) await writeOnce(database, tenantId, timed)
    }),
  )
  return {
    takeTimes() {
      const taken = times
      times = []
      return taken
    },
    async stop() {
      stopping.abort()
      await ended
    },
  }
}

/** An event for every endpoint, and an attempt of each of its deliveries. */
async function writeOnce(
  database: Database,
  tenantId: string,
  timed: <T>(work: Promise<T>) => Promise<T>,
): Promise<void> {
  const [id, createdAt, type] = [createUuidv7(), new Date(), 'site.created']
  const event = { id, type, created_at: createdAt.toISOString(), tenant_id: tenantId, data: {} }
  const payload = freezeEnvelope(event)
  const patterns = patternsMatching(type)
  const subject = { objectId: 'site-1', accountId: 'account-1', name: 'shop.example' }
  const own = { id, eventId: id, idGiven: false, tenantId, type, patterns }
  const entry = { ...own, createdAt, payload, subject }
  const { deliveries } = await timed(publishEvents(database, [entry], undefined))
  const taken = deliveries.map((delivery) => takeAttempt({ ...delivery, number: 1 }))
  const claimed = await timed(claimAttempts(database, taken, 60_000))
  await timed(
    finishAttempts(
      database,
      claimed.map((attempt) => ({
        ...attempt,
        state: 'finished',
        attemptId: createUuidv7(),
        startedAt: createdAt,
        durationMs: 15,
        outcome: { statusCode: 200, errorClass: null },
        timedOut: false,
        nextStep: { status: 'succeeded' },
      })),
    ),
  )
}
