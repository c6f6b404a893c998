/** What the API and the worker run with besides their configuration; package.json and Dockerfile hold the same. */
export const processEnvironment = {
  // Names are looked up in these threads: one dead name server must not hold up all deliveries.
  UV_THREADPOOL_SIZE: '64',
  // In MB. By default V8 lets the young generation grow to three times 16 MB and gives little of it back.
  NODE_OPTIONS: '--max-semi-space-size=8',
} as const
