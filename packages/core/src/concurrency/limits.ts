/**
 * The limits of expensive reads of an organization in an API process, for `createTurns`. Others wait for their turn,
 * and get 429 `rate_limited` after `waitMs` (docs/specification/fairness.md). `createReadTurns` in
 * apps/api/src/use-cases/read-turns.ts applies them.
 */
export const readTurnLimits = { perKey: 2, waitingPerKey: 100, waitMs: 5_000 } as const
