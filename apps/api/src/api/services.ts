import type { Config, ServerSecrets } from '@hosting/core/configuration'
import type { Cursors } from '@hosting/core/lists'
import type { AddressPolicy } from '@hosting/core/network'
import type { SecretsStore } from '@hosting/core/secrets-store'
import type { KeyChangeSubscription } from '@hosting/postgres/api-keys'
import type { ClockFollower, Database } from '@hosting/postgres/database'
import type { ProcessCounts } from '@hosting/postgres/operators'
import type { AttemptProducer, Gate } from '@hosting/redis'
import type { createSettingsCheck, JsonReader, Logger } from '@hosting/process'
import type { Brand } from '../brand.ts'
import type { KeyGate } from './gate/key-gate.ts'
import type { Refusals } from './gate/refusals.ts'
import type { UnreportedChanges } from './gate/unreported-changes.ts'
import type { UsageCounter } from './gate/usage-counter.ts'
import type { EventStreamHub } from './event-streams/event-stream-hub.ts'
import type { Metrics } from '../metrics.ts'
import type { IdentityProvider } from './issuers/identity-provider.ts'
import type { JobAdmission } from './publishing/first-jobs.ts'
import type { SharedPublish } from './publishing/shared-publish.ts'
import type { ReadTurns } from './gate/read-turns.ts'
import type { IssuerKeys } from './issuers/issuer-keys.ts'

/** The dependencies of handlers and use cases, created once in `openServices`. */
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
  /** The changes that the gate has not got yet. */
  readonly unreported: UnreportedChanges
  readonly keyChanges: KeyChangeSubscription
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

/** The services that a use case needs. */
export type Needs<Name extends keyof Services> = Pick<Services, Name>
