/** Drops the test databases and stops the servers. */
export default async function tearDown(): Promise<void> {
  await globalThis.testServers?.stop()
}
