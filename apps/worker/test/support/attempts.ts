import { signingSecretContext } from '@hosting/core/webhooks'
import { makePartitions, type Database } from '@hosting/postgres/database'
import { createLogger } from '@hosting/process'
import { afterEach, beforeAll } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import {
  makeEndpoint,
  makeTenant,
  publish,
} from '../../../../packages/postgres/test/support/fixtures.ts'
import { tapStatements } from '../../../../packages/postgres/test/support/tap-statements.ts'
import { buildTaken } from '../../../../test/support/attempts.ts'
import { testConfig } from '../../../../test/support/environment.ts'
import { startReceiver, type Receiver, type Reply } from '../../../../test/support/receiver.ts'
import { createMakeAttempt } from '../../src/delivery/make-attempt.ts'
import { createPostpone } from '../../src/delivery/postpone.ts'
import { createRecords } from '../../src/delivery/records.ts'
import { closeServices, openServices } from '../../src/services.ts'
import { createSecretsStore } from '@hosting/core/secrets-store'

/** Deliveries to receivers, and workers that attempt them. They end with each test. */
export function useAttempts(database: ReturnType<typeof useDatabase>) {
  const opened: { close(): Promise<void> }[] = []
  beforeAll(async () => {
    await makePartitions(database)
  })
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close()
  })

  return {
    /** Makes attempts. `before` runs before each statement of that name is sent to PostgreSQL, and may throw. */
    async openWorker(
      before: Readonly<Record<string, () => Promise<void>>>,
      settings: Record<string, string> = {},
    ) {
      const config = testConfig({ DATABASE_URL: database.url, ...settings })
      const services = await openServices(config, createLogger('worker', 'silent'))
      opened.push({ close: () => closeServices(services) })
      const tapped = tapStatements(services.database, (name) => before[name]?.())
      const tappedServices = { ...services, database: tapped }
      const makeAttempt = createMakeAttempt(tappedServices, {
        postpone: createPostpone(tappedServices),
        record: createRecords(tappedServices).record,
      })
      return (deliveryId: string) => makeAttempt(buildTaken({ deliveryId }))
    },

    /** Creates a delivery to a receiver, with a signing secret that can be decrypted. */
    async makeDelivery(respond?: () => Reply) {
      const receiver: Receiver = await startReceiver(respond && { respond })
      opened.push(receiver)
      const tenantId = await makeTenant(database)
      const endpointId = await makeEndpoint(database, tenantId, { url: receiver.url })
      await rotate(database, endpointId, 'whsec_first')
      const [deliveryId] = await publish(database, tenantId)
      return { receiver, endpointId, deliveryId: deliveryId! }
    },
  }
}

/** Does the same as a rotation without an overlap period. */
export async function rotate(
  database: Database,
  endpointId: string,
  secret: string,
): Promise<void> {
  const id = randomUUID()
  const encrypted = testStore.encrypt(secret, signingSecretContext(id))
  await database.prisma.$transaction(async (tx) => {
    await tx.webhookSecret.deleteMany({ where: { endpointId } })
    await tx.webhookSecret.create({ data: { id, endpointId, encrypted, createdAt: new Date() } })
  })
}

/** Has the key of the tests' configuration, so workers can decrypt what it encrypts. */
export const testStore = createSecretsStore([{ id: 'test', key: Buffer.alloc(32, 7) }])
