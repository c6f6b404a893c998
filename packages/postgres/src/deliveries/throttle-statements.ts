/**
 * The throttle of an endpoint is a generic cell rate algorithm: `webhook_throttles.next_at` is the time of
 * the next start if starts are spread evenly, and a start may be earlier than that by a tolerance. So in
 * any t seconds at most 1 + (t + tolerance) / spacing attempts are claimed. An attempt starts at most
 * {@link startDelayOf} after its claim. Together, no t seconds hold the start of more than N × (t + 1)
 * attempts. For N = 1 this leaves no room, so the spacing is longer.
 */

/** The time between two starts, if they are spread evenly. */
export const spacingOf = (rate: string): string =>
  `CASE WHEN ${rate} = 1 THEN interval '1200 ms' ELSE interval '1 second' / ${rate} END`

/** How much earlier than that an attempt may be claimed. */
export const toleranceOf = (rate: string): string =>
  `CASE WHEN ${rate} = 1 THEN interval '50 ms' ELSE interval '250 ms' END`

/** How long after its claim an attempt of a throttled endpoint may start. */
export const startDelayOf = (rate: string): string =>
  `CASE WHEN ${rate} = 1 THEN interval '150 ms' ELSE interval '250 ms' END`

/**
 * When the first of the waiting deliveries is expected to start. Jobs arrive late rather than early, so
 * half of the tolerance makes up for it.
 */
export const firstStart = (rate: string, nextAt: string): string =>
  `greatest(now(), ${nextAt} - (${toleranceOf(rate)}) / 2)`

/**
 * When each delivery is expected to start: not before it is due or the first start, and a spacing after
 * the one before. A window over rows in their order, with their `rank` from 0.
 */
export const expectedStart = (earliest: string, partition: string): string =>
  `max(greatest(due_at, ${earliest}) - rank * spacing)
    OVER (PARTITION BY ${partition} ORDER BY rank) + rank * spacing`
