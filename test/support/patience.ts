/** CI runs several suites at the same time, so there everything takes longer. */
const isCi = process.env['CI'] === 'true'

/** How long tests wait for what must happen, in ms. No test passes because of a longer wait. */
export const patienceMs = isCi ? 120_000 : 30_000

/** The time limit of a test, for tests that hang, in ms. */
export const testMsMax = isCi ? 180_000 : 60_000
