/**
 * The limits of the reads of an API process, for `createTurns`: concurrent reads of an organization and of all, waiting
 * reads of a key or person, and how long they wait, in ms. Then they get 429 `rate_limited`
 * (docs/specification/fairness.md). `createReadTurns` in apps/api/src/api/gate/read-turns.ts applies them.
 */
export const readTurnLimits = {
  perKey: 2,
  total: 6,
  waitingPerCaller: 100,
  waitMs: 5_000,
} as const
