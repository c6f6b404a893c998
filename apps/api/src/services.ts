import {
  createAddressPolicy,
  createSecretsStore,
  ownNetworks,
  type AddressPolicy,
  type Config,
  type SecretsStore,
} from '@hosting/core'
import { getOrMakeSetting, makePartitions, openDatabase, type Database } from '@hosting/postgres'
import { openAttemptProducer, type AttemptProducer } from '@hosting/redis'
import { randomBytes } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import type { Logger } from '@hosting/process'
import { createMetrics, type Metrics } from './metrics.ts'

/** What handlers and operations work with; wired once, in {@link openServices}. */
export interface Services {
  readonly config: Config
  readonly log: Logger
  readonly database: Database
  readonly attempts: AttemptProducer
  /** The key of keyed hashes. */
  readonly serverSecret: Buffer
  /** `undefined`: not configured. */
  readonly secrets: SecretsStore | undefined
  readonly addressPolicy: AddressPolicy
  readonly metrics: Metrics
  readonly partitions: NodeJS.Timeout
}

/** Opens the connections of the API, makes the partitions ahead, and gets the server secret. */
export async function openServices(config: Config, log: Logger): Promise<Services> {
  const database = openDatabase(config.databaseUrl.reveal(), {
    onError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
  })
  await makePartitions(database)
  const place = { nodes: config.redisNodes.reveal(), mode: config.redisMode }
  const keyring = config.secretsKeyring?.reveal()
  return {
    config,
    log,
    database,
    attempts: openAttemptProducer(place, (error) =>
      log.debug({ err: error }, 'Redis is unavailable'),
    ),
    serverSecret:
      config.serverSecret?.reveal() ??
      (await getOrMakeSetting(database, 'server_secret', () => randomBytes(32))),
    secrets: keyring && createSecretsStore(keyring),
    addressPolicy: createAddressPolicy({
      own: config.ownNetworks ?? ownNetworks(networkInterfaces()),
      allowed: config.allowedNetworks,
    }),
    metrics: createMetrics(),
    partitions: keepPartitions(database, log),
  }
}

const partitionsEveryMs = 60 * 60 * 1_000

/** Whoever runs makes the partitions ahead, the API too, so that no worker is needed to accept events. */
function keepPartitions(database: Database, log: Logger): NodeJS.Timeout {
  return setInterval(() => {
    makePartitions(database).catch((error: unknown) =>
      log.error({ err: error }, 'partitions were not made'),
    )
  }, partitionsEveryMs).unref()
}

/** Closes what {@link openServices} opened. */
export async function closeServices({ attempts, database, partitions }: Services): Promise<void> {
  clearInterval(partitions)
  await attempts.close()
  await database.close()
}
