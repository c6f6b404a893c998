import {
  createAddressPolicy,
  createSecretsStore,
  ownNetworks,
  type Config,
  type SecretsStore,
} from '@hosting/core'
import { openDatabase, type Database } from '@hosting/postgres'
import type { Logger } from '@hosting/process'
import { openAttemptProducer, type AttemptProducer } from '@hosting/redis'
import { networkInterfaces } from 'node:os'
import { createSender, type Sender } from './delivery/send.ts'
import { createMetrics, type Metrics } from './metrics.ts'

/** What jobs and duties work with; wired once, in {@link openServices}. */
export interface Services {
  readonly config: Config
  readonly log: Logger
  readonly database: Database
  readonly attempts: AttemptProducer
  readonly sender: Sender
  /** `undefined`: not configured; then there is no endpoint to send to. */
  readonly secrets: SecretsStore | undefined
  readonly metrics: Metrics
}

/** Opens the connections of the worker. */
export function openServices(config: Config, log: Logger): Services {
  const keyring = config.secretsKeyring?.reveal()
  const policy = createAddressPolicy({
    own: config.ownNetworks ?? ownNetworks(networkInterfaces()),
    allowed: config.allowedNetworks,
  })
  return {
    config,
    log,
    database: openDatabase(config.databaseUrl.reveal(), {
      onError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
    }),
    attempts: openAttemptProducer(
      { nodes: config.redisNodes.reveal(), mode: config.redisMode },
      (error) => log.debug({ err: error }, 'Redis is unavailable'),
    ),
    sender: createSender(policy, { timeoutMs: config.attemptTimeoutMs }),
    secrets: keyring && createSecretsStore(keyring),
    metrics: createMetrics(),
  }
}

/** Closes what {@link openServices} opened. */
export async function closeServices({ sender, attempts, database }: Services): Promise<void> {
  sender.close()
  await attempts.close()
  await database.close()
}
