import tearDownShared from '../support/global-teardown.ts'

/** Stops what the set-up started. */
export default async function tearDown(): Promise<void> {
  await globalThis.manyMachines?.pgbouncer.stop()
  await globalThis.manyMachines?.redis.stop()
  await tearDownShared()
}
