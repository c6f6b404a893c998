import type { Key } from '../history/entries.ts'
import type { Call } from '../history/calls.ts'
import { possible, seconds, succeeded, type HistoryView, type Rule } from './history-view.ts'

/** The clocks of the processes differ from PostgreSQL's by less than this, in ms. */
const clockMs = 2_000

/** A revoked or expired key never succeeds, and a valid one is never refused as invalid. */
export const keysEnd: Rule = (history) =>
  history.run.keys.flatMap((key) => {
    const revoking = history.of('revoke').filter(({ value }) => value.key === key.id)
    const revokedAt = succeeded(revoking)[0]?.to ?? Infinity
    const endsAt = Math.min(
      ...possible(revoking).map(({ from }) => from),
      key.expiresAt ?? Infinity,
    )
    return usesOf(history, key).flatMap((use) => {
      const at = `${key.id}: a request at ${seconds(use.from)}`
      if (use.type === 'ok' && use.from > revokedAt) {
        return [`${at} succeeded after the revocation at ${seconds(revokedAt)}`]
      }
      if (use.type === 'ok' && use.from > (key.expiresAt ?? Infinity) + clockMs) {
        return [`${at} succeeded after the expiry at ${seconds(key.expiresAt!)}`]
      }
      if (use.type === 'fail' && use.to < endsAt - clockMs) return [`${at} was refused as invalid`]
      return []
    })
  })

const usesOf = (history: HistoryView, { id }: Key): readonly Call<'use'>[] =>
  history.of('use').filter(({ value }) => value.key === id)

const windowMs = 60_000
/** A request that takes longer, in ms, was not counted in Redis, but in its process. */
const slowMs = 500

/** No 60 seconds hold more accepted requests of a key than its rate limit. */
export const rateLimited: Rule = (history) =>
  history.run.keys.flatMap((key) => {
    const uses = succeeded(usesOf(history, key))
    for (const { from } of uses) {
      const span = { from, to: from + windowMs }
      const count = uses.filter((use) => use.from >= span.from && use.to <= span.to).length
      // Without Redis, each process counts on its own, and what Redis forgets does not count.
      const isSlow = uses.some((use) => use.from <= span.to && use.to - use.from > slowMs)
      if (count > key.perMinute && !isSlow && !history.isDisturbed(span, ['redis'])) {
        return [`${key.id}: ${count} requests from ${seconds(from)}, the limit is ${key.perMinute}`]
      }
    }
    return []
  })
