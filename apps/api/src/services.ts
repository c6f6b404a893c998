import { type Config, type ServerSecrets } from '@hosting/core/configuration'
import { createCursors, type Cursors } from '@hosting/core/lists'
import { addressPolicyOf, type AddressPolicy } from '@hosting/core/network'
import { createSecretsStore, type SecretsStore } from '@hosting/core/secrets-store'
import { nameOfIssuer } from '@hosting/core/workloads'
import { listenToKeyChanges, type KeyChangeListener } from '@hosting/postgres/api-keys'
import {
  getServerSecrets,
  isReachable,
  makePartitions,
  openServiceDatabase,
  readDurability,
  type ClockFollower,
  type Database,
} from '@hosting/postgres/database'
import { ProcessCounts } from '@hosting/postgres/operators'
import { listenerChannels, ownMessageChannels } from '@hosting/postgres/webhooks'
import {
  openAttemptProducer,
  openGate,
  redisTopologyOf,
  type AttemptProducer,
  type Gate,
  type RedisTopology,
} from '@hosting/redis'
import { networkInterfaces } from 'node:os'
import {
  createJsonReader,
  createResolver,
  createSettingsCheck,
  logDatabase,
  outsideOfWork,
  type JsonReader,
  type Logger,
} from '@hosting/process'
import { readBrand, type Brand } from './brand.ts'
import { KeyCache } from './gate/key-cache.ts'
import { createKeyGate, type CheckSource, type KeyGate } from './gate/key-gate.ts'
import { Refusals } from './gate/refusals.ts'
import { UsageCounter } from './gate/usage-counter.ts'
import { EventStreamHub } from './event-streams/event-stream-hub.ts'
import { addReadings, createMetrics, type Metrics } from './metrics.ts'
import { identityProviderOf, type IdentityProvider } from './use-cases/identity-provider.ts'
import { JobAdmission } from './use-cases/job-admission.ts'
import { createSharedPublish, type SharedPublish } from './use-cases/shared-publish.ts'
import { createReadTurns, type ReadTurns } from './use-cases/read-turns.ts'
import { createIssuerKeys, type IssuerKeys } from './use-cases/issuer-keys.ts'

/** The dependencies of handlers and use cases, created once in {@link openServices}. */
export interface Services {
  readonly config: Config
  readonly log: Logger
  readonly database: Database
  readonly attempts: AttemptProducer
  /** Decides which new deliveries get their jobs immediately. */
  readonly jobAdmission: JobAdmission
  /** Stores published events. Concurrent requests share a statement. */
  readonly publish: SharedPublish
  /** The key for new keyed hashes: the first of `serverSecrets`. */
  readonly serverSecret: Buffer
  /** The keys for verifying keyed hashes. */
  readonly serverSecrets: ServerSecrets
  /** The cursors of all lists. */
  readonly cursors: Cursors
  /** `undefined` if not configured. */
  readonly secrets: SecretsStore | undefined
  readonly addressPolicy: AddressPolicy
  /** The company's name, logo and color. */
  readonly brand: Brand
  /** The company's identity provider; `undefined` if not configured. */
  readonly identityProvider: IdentityProvider | undefined
  /** Verifies the keys of requests. */
  readonly keyGate: KeyGate
  /** The part of the gate in Redis. Key changes are reported to it. */
  readonly gate: Gate
  readonly keyChanges: KeyChangeListener
  /** The open event streams. */
  readonly listening: EventStreamHub
  readonly usage: UsageCounter
  readonly refusals: Refusals
  readonly metrics: Metrics
  /** What this process counts for the operators' page. */
  readonly counts: ProcessCounts
  readonly readTurns: ReadTurns
  readonly issuerReader: JsonReader
  /** The keys of the issuers of workload keys. */
  readonly issuerKeys: IssuerKeys
  readonly partitions: NodeJS.Timeout
  /** Synchronizes the clock of this process with the database's. */
  readonly clock: ClockFollower
  readonly checkSettings: ReturnType<typeof createSettingsCheck>
}

/** Opens the API's connections, creates upcoming partitions and reads the server secrets. */
export async function openServices(config: Config, log: Logger): Promise<Services> {
  const brand = readBrand(config)
  const { database, clock } = await openServiceDatabase(config, logDatabase(log, 'hosting api'))
  const topology = redisTopologyOf(config)
  const onError = outsideOfWork((error: Error) => log.debug({ err: error }, 'Redis is unavailable'))
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
    countListeners: () => gated.listening.count(),
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
}): Pick<Services, 'gate' | 'keyChanges' | 'keyGate' | 'listening'> {
  const cache = new KeyCache(database)
  const forgetAll = (): void => cache.clear()
  const gate = openGate(topology, { onError, onLost: forgetAll })
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
      [listenerChannels.listening]: (tenantId) => listening.onListening(tenantId),
      [listenerChannels.published]: (payload) => listening.onPublished(payload),
      [ownMessageChannels.triggered]: (payload) => listening.onTriggered(payload),
      [ownMessageChannels.replayed]: (payload) => listening.onReplayed(payload),
      [listenerChannels.callerChanged]: (id) => listening.onCallerChanged(id),
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
  return { gate, keyChanges, listening, keyGate }
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
    services.listening.waitForAnnouncements(),
  ])
  await services.keyChanges.close()
  services.gate.close()
  services.issuerReader.close()
  await services.attempts.close()
  await services.database.close()
}
