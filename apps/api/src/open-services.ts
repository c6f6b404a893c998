import type { Config } from '@hosting/core/configuration'
import { createCursors } from '@hosting/core/lists'
import { addressPolicyOf } from '@hosting/core/network'
import { createSecretsStore } from '@hosting/core/secrets-store'
import { nameOfIssuer } from '@hosting/core/workloads'
import { listenToKeyChanges } from '@hosting/postgres/api-keys'
import {
  getServerSecrets,
  isReachable,
  makePartitions,
  openServiceDatabase,
  readDurability,
  type Database,
} from '@hosting/postgres/database'
import { ProcessCounts } from '@hosting/postgres/operators'
import { streamChannels, ownMessageChannels } from '@hosting/postgres/webhooks'
import { openAttemptProducer, openGate, redisTopologyOf, type RedisTopology } from '@hosting/redis'
import { networkInterfaces } from 'node:os'
import {
  createJsonReader,
  createResolver,
  createSettingsCheck,
  logDatabase,
  inOwnContext,
  type Logger,
} from '@hosting/process'
import { readBrand } from './brand.ts'
import { KeyCache, createKeyGate, type CheckSource } from './api/gate/key-gate.ts'
import { createReadTurns } from './api/gate/read-turns.ts'
import { Refusals } from './api/gate/refusals.ts'
import { keepingUnreported, UnreportedChanges } from './api/gate/unreported-changes.ts'
import { UsageCounter } from './api/gate/usage-counter.ts'
import { EventStreamHub } from './api/event-streams/event-stream-hub.ts'
import { addReadings, createMetrics, type Metrics } from './metrics.ts'
import { identityProviderOf } from './api/issuers/identity-provider.ts'
import { JobAdmission } from './api/publishing/first-jobs.ts'
import { createSharedPublish } from './api/publishing/shared-publish.ts'
import { createIssuerKeys } from './api/issuers/issuer-keys.ts'
import type { Services } from './api/services.ts'

/** Opens the API's connections, creates upcoming partitions and reads the server secrets. */
export async function openServices(config: Config, log: Logger): Promise<Services> {
  const brand = readBrand(config)
  const { database, clock } = await openServiceDatabase(config, logDatabase(log, 'hosting api'))
  const topology = redisTopologyOf(config)
  const onError = inOwnContext((error: Error) => log.debug({ err: error }, 'Redis is unavailable'))
  const keyring = config.secretsKeyring?.reveal()
  const serverSecrets = await getServerSecrets(database, config)
  const attempts = openAttemptProducer(topology, onError)
  const metrics = createMetrics()
  const gated = openKeyGate({
    config,
    log,
    database,
    topology,
    onError,
    onChecked: counting(metrics),
  })
  addReadings(metrics, {
    pools: { general: database.pool, hot: database.hotPool },
    isDatabaseReachable: () => isReachable(database),
    readDurability: () => readDurability(database),
    redis: { jobs: attempts.isReady, gate: gated.gate.isReady },
    countGateRoundTrips: gated.gate.countRoundTrips,
    isGateInformed: () => gated.gate.isReady() && gated.keyChanges.isListening(),
    countStreams: () => gated.listening.count(),
  })
  const addressPolicy = addressPolicyOf(config, networkInterfaces)
  const issuerReader = createJsonReader(addressPolicy, createResolver())
  const services = {
    config,
    log,
    database,
    attempts,
    jobAdmission: new JobAdmission(attempts, config.jobHoldMs),
    serverSecret: serverSecrets[0],
    serverSecrets,
    cursors: createCursors(serverSecrets),
    secrets: keyring && createSecretsStore(keyring),
    brand,
    identityProvider: identityProviderOf(config),
    addressPolicy,
    ...gated,
    usage: new UsageCounter(database, log),
    refusals: new Refusals(database, log),
    metrics,
    counts: new ProcessCounts(),
    readTurns: createReadTurns(),
    issuerReader,
    issuerKeys: createIssuerKeys(issuerReader, { onRead: countingReads(metrics, log) }),
    partitions: keepPartitions(database, log),
    clock,
    checkSettings: createSettingsCheck(log),
  }
  return { ...services, publish: createSharedPublish(services) }
}

/** Counts and logs the reads of issuers. */
const countingReads =
  ({ issuerReads }: Metrics, log: Logger) =>
  (issuer: string, error: unknown): void => {
    issuerReads.inc({ issuer: nameOfIssuer(issuer), outcome: error ? 'failed' : 'read' })
    if (error) log.warn({ err: error, issuer }, 'an issuer could not be read')
  }

/** Looks each counter up once: a lookup by label costs more than an increment. */
function counting({ gatePassages }: Metrics): (by: CheckSource) => void {
  const counterOf = (by: CheckSource) => {
    gatePassages.inc({ record: by }, 0)
    return gatePassages.labels(by)
  }
  const counters = {
    cached: counterOf('cached'),
    read: counterOf('read'),
    uncached: counterOf('uncached'),
  }
  return (by) => counters[by].inc()
}

/** Opens what needs change notifications: the gate, its cache and the event streams. A possibly missed one clears the cache. */
function openKeyGate({
  config,
  log,
  database,
  topology,
  onError,
  onChecked,
}: {
  config: Config
  log: Logger
  database: Database
  topology: RedisTopology
  onError: (error: Error) => void
  onChecked: (by: CheckSource) => void
}): Pick<Services, 'gate' | 'unreported' | 'keyChanges' | 'keyGate' | 'listening'> {
  const cache = new KeyCache(database)
  const forgetAll = (): void => cache.clear()
  const shared = openGate(topology, { onError, onLost: forgetAll })
  const unreported = new UnreportedChanges(database, shared, log)
  const gate = keepingUnreported(shared, unreported)
  const keyChanges = listenToKeyChanges(database, {
    changed: (ids) => {
      cache.drop(ids)
      listening.onKeysChanged(ids)
    },
    disconnected: () => {
      forgetAll()
      listening.onDisconnected()
    },
    listening: () => {
      forgetAll()
      void listening.readListenedTenants()
    },
    others: {
      [streamChannels.listening]: (tenantId) => listening.onListening(tenantId),
      [streamChannels.published]: (payload) => listening.onPublished(payload),
      [ownMessageChannels.triggered]: (payload) => listening.onTriggered(payload),
      [ownMessageChannels.replayed]: (payload) => listening.onReplayed(payload),
      [streamChannels.callerChanged]: (id) => listening.onCallerChanged(id),
    },
  })
  const listening = new EventStreamHub({
    database,
    log,
    changes: keyChanges,
    heartbeatMs: config.listenHeartbeatMs,
  })
  const isInformed = (): boolean => gate.isReady() && keyChanges.isListening()
  const keyGate = createKeyGate({ cache, gate, isInformed, onChecked })
  return { gate, unreported, keyChanges, listening, keyGate }
}

const partitionsEveryMs = 60 * 60 * 1_000

/** The API also creates upcoming partitions, so that it can accept events without a worker. */
function keepPartitions(database: Database, log: Logger): NodeJS.Timeout {
  return setInterval(() => {
    makePartitions(database).catch((error: unknown) =>
      log.error({ err: error }, 'partitions could not be created'),
    )
  }, partitionsEveryMs).unref()
}

/** Writes pending counts and announces pending events, then closes what {@link openServices} opened. */
export async function closeServices(services: Services): Promise<void> {
  clearInterval(services.partitions)
  services.clock.stop()
  await Promise.all([
    services.usage.close(),
    services.refusals.close(),
    services.unreported.close(),
    services.listening.waitForAnnouncements(),
  ])
  await services.keyChanges.close()
  services.gate.close()
  services.issuerReader.close()
  await services.attempts.close()
  await services.database.close()
}
