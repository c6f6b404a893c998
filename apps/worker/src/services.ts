import { type AuditKeys } from '@hosting/core/audit'
import { type Config } from '@hosting/core/configuration'
import { addressPolicyOf } from '@hosting/core/network'
import { createSecretsStore, type SecretsStore } from '@hosting/core/secrets-store'
import { AuditSealer } from '@hosting/postgres/audit'
import {
  getAuditKeys,
  isReachable,
  openServiceDatabase,
  readDurability,
  type ClockFollower,
  type Database,
} from '@hosting/postgres/database'
import { ProcessCounts } from '@hosting/postgres/operators'
import {
  createResolver,
  createSettingsCheck,
  logDatabase,
  inOwnContext,
  type Logger,
} from '@hosting/process'
import {
  openAttemptProducer,
  openGate,
  openQueueReader,
  redisTopologyOf,
  type AttemptProducer,
  type Gate,
  type QueueReader,
} from '@hosting/redis'
import { networkInterfaces } from 'node:os'
import { createRelay, type Relay } from './delivery/relay.ts'
import { createSender, type Sender } from './delivery/send.ts'
import { openSigningAbility, type SigningAbility } from './delivery/signing-ability.ts'
import { createStallDetector, type StallDetector } from './delivery/stall-detector.ts'
import { createTenantShares, type TenantShares } from './delivery/fairness.ts'
import { createDutyWatch, type DutyWatch } from './duties/duty-watch.ts'
import { mailServerOf, type MailServer } from './mail/mail-server.ts'
import { addReadings, createMetrics, type Metrics } from './metrics.ts'

/** The dependencies of attempts and duties, created once by {@link openServices}. */
export interface Services {
  readonly config: Config
  readonly log: Logger
  readonly database: Database
  readonly attempts: AttemptProducer
  readonly gate: Gate
  /** `undefined`: the operators' pages are not configured. */
  readonly queueReader: QueueReader | undefined
  readonly auditKeys: AuditKeys
  readonly auditSealer: AuditSealer
  /** Whether the database role of this worker may change the audit log. */
  readonly mayRewriteAuditLog: boolean
  readonly sender: Sender
  /** `undefined`: not configured. In that case there are no endpoints to send to. */
  readonly secrets: SecretsStore | undefined
  /** `undefined`: mail is not configured. */
  readonly mailServer: MailServer | undefined
  /** Why the latest email of this process failed; `undefined` once one was sent. */
  readonly mail: { failure: string | undefined }
  /** Whether attempts can be signed. */
  readonly signing: SigningAbility
  readonly metrics: Metrics
  /** What this process counts for the operators' page. */
  readonly counts: ProcessCounts
  readonly watch: StallDetector
  readonly tenantShares: TenantShares
  readonly relay: Relay
  /** Keeps the clock of this process in step with the clock of the database. */
  readonly clock: ClockFollower
  readonly checkSettings: ReturnType<typeof createSettingsCheck>
  /** Wakes idle duties. */
  readonly dutyWatch: DutyWatch
}

/** A consumer is stuck if it takes no job for this long after an attempt must have ended. */
const watchMarginMs = 5_000

/**
 * Opens the connections of the worker, creates the day partitions, and gets the audit keys.
 *
 * @param options - `marginMs`: see {@link watchMarginMs}.
 */
export async function openServices(
  config: Config,
  log: Logger,
  { marginMs = watchMarginMs }: { marginMs?: number } = {},
): Promise<Services> {
  const { database, clock, mayRewriteAuditLog } = await openServiceDatabase(
    config,
    logDatabase(log, 'hosting worker'),
  )
  const topology = redisTopologyOf(config)
  const onError = inOwnContext((error: Error) => log.debug({ err: error }, 'Redis is unavailable'))
  const keyring = config.secretsKeyring?.reveal()
  const auditKeys = await getAuditKeys(database, config)
  const secrets = keyring && createSecretsStore(keyring)
  const policy = addressPolicyOf(config, networkInterfaces)
  const watch = createStallDetector(config.attemptTimeoutMs + marginMs)
  const metrics = createMetrics()
  const resolver = createResolver({ onTimeout: () => metrics.lookupTimeouts.inc() })
  const services = {
    config,
    log,
    database,
    attempts: openAttemptProducer(topology, onError),
    gate: openGate(topology, { onError, onLost: () => undefined }),
    queueReader: config.opsToken && openQueueReader(topology, { onError }),
    sender: createSender(policy, {
      timeoutMs: config.attemptTimeoutMs,
      resolve: resolver.resolve,
    }),
    auditKeys,
    mayRewriteAuditLog,
    auditSealer: new AuditSealer(database, auditKeys),
    metrics,
    counts: new ProcessCounts(),
    mailServer: mailServerOf(config),
    mail: { failure: undefined },
    secrets,
    signing: await openSigningAbility(database, secrets),
    watch,
    tenantShares: createTenantShares(config.workerConcurrency),
    clock,
    checkSettings: createSettingsCheck(log),
    dutyWatch: createDutyWatch(database),
  }
  addReadings(metrics, {
    pools: { general: database.pool, hot: database.hotPool },
    isDatabaseReachable: () => isReachable(database),
    readDurability: () => readDurability(database),
    redis: { jobs: services.attempts.isReady, gate: services.gate.isReady },
    isStuck: watch.isStuck,
    lookups: resolver.figures,
    canSign: services.signing.canSign,
  })
  return {
    ...services,
    relay: createRelay(services, (state) => watch.noteWaiting(state.waitingByShard)),
  }
}

/** Closes everything that {@link openServices} opened. */
export async function closeServices(services: Services): Promise<void> {
  const { sender, gate, queueReader, attempts, database, clock, dutyWatch } = services
  clock.stop()
  dutyWatch.stop()
  sender.close()
  gate.close()
  await queueReader?.close()
  await attempts.close()
  await database.close()
}
