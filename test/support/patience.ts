/**
 * How long tests wait for what must happen, in ms. CI runs several suites at the same time, so there it takes longer. No
 * test passes because of a longer wait.
 */
export const patienceMs = process.env['CI'] === 'true' ? 120_000 : 30_000
