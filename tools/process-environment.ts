/** The environment of the API and the worker besides their settings; package.json and Dockerfile contain the same. */
export const processEnvironment = {
  // DNS lookups use these threads: one dead name server must not block all deliveries.
  UV_THREADPOOL_SIZE: '64',
  // In MB. By default V8 lets the young generation grow to three times 16 MB and releases little of it.
  NODE_OPTIONS: '--max-semi-space-size=8',
} as const
