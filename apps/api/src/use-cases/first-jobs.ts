import { failPoint } from '@hosting/core/fail-points'
import { type Database } from '@hosting/postgres/database'
import { releaseHolds } from '@hosting/postgres/deliveries'
import { type NewDelivery } from '@hosting/postgres/webhooks'
import type { Logger } from '@hosting/process'
import type { AttemptProducer } from '@hosting/redis'
import type { Counter } from 'prom-client'
import type { Work } from '../http/work.ts'
import type { JobAdmission } from './job-admission.ts'

/** What adding jobs uses of the API's services. */
export interface FirstJobServices {
  readonly attempts: AttemptProducer
  readonly database: Database
  readonly jobAdmission: JobAdmission
  readonly log: Logger
  readonly metrics: { readonly firstJobs: Counter }
}

type FirstJob = Pick<NewDelivery, 'deliveryId' | 'tenantId' | 'endpointId'>

/** Adds the first jobs of committed deliveries. Jobs that Redis does not accept are left to the relay. */
export async function addFirstJobs(
  { attempts, jobAdmission, database, log, metrics }: FirstJobServices,
  deliveries: readonly FirstJob[],
): Promise<void> {
  if (deliveries.length === 0) return
  jobAdmission.note(deliveries)
  const notAdded = await attempts.add(
    deliveries.map(({ deliveryId, endpointId, tenantId }) => ({
      deliveryId,
      endpointId,
      tenantId,
      number: 1,
      lane: 'normal' as const,
      delayMs: 0,
    })),
  )
  failPoint('publish.jobs-added')
  const left = notAdded?.attempts.map(({ deliveryId }) => deliveryId) ?? []
  metrics.firstJobs.inc(deliveries.length - left.length)
  if (!notAdded) return
  log.debug({ err: notAdded.reason, jobs: left.length }, 'jobs are left for the relay to create')
  await releaseHolds(database, left).catch((failure: unknown) => {
    log.debug({ err: failure }, 'holds are left to expire')
  })
}

/** How long a single new delivery is held for the job that {@link addFirstJobAfter} adds, in ms. */
export const firstJobHoldMs = ({ jobAdmission }: FirstJobServices): number =>
  jobAdmission.decide()?.holdMs ?? 0

/** Adds the first job of a held delivery after the request's transaction commits. */
export function addFirstJobAfter(
  { afterCommit }: Work,
  services: FirstJobServices,
  { heldForMs, ...delivery }: FirstJob & { heldForMs: number },
): void {
  if (heldForMs > 0) afterCommit(() => addFirstJobs(services, [delivery]))
}
