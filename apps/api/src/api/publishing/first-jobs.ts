import { failPoint } from '@hosting/core/fail-points'
import { type Database } from '@hosting/postgres/database'
import { postponeAttempts } from '@hosting/postgres/deliveries'
import { type NewDelivery } from '@hosting/postgres/webhooks'
import type { Logger } from '@hosting/process'
import type { AttemptProducer } from '@hosting/redis'
import type { Counter } from 'prom-client'
import type { Work } from '../work.ts'
import type { JobAdmission } from './job-admission.ts'

/** What adding jobs uses of the API's services. */
export interface FirstJobServices {
  readonly attempts: AttemptProducer
  readonly database: Database
  readonly jobAdmission: JobAdmission
  readonly log: Logger
  readonly metrics: { readonly firstJobs: Counter }
}

/** Adds the first jobs of committed deliveries. Attempts whose jobs Redis does not accept are postponed. */
export async function addFirstJobs(
  { attempts, jobAdmission, database, log, metrics }: FirstJobServices,
  deliveries: readonly Omit<NewDelivery, 'held'>[],
): Promise<void> {
  if (deliveries.length === 0) return
  jobAdmission.note(deliveries)
  const notAdded = await attempts.add(
    deliveries.map(({ deliveryId, endpointId, tenantId }) => ({
      state: 'due' as const,
      deliveryId,
      endpointId,
      tenantId,
      number: 1,
      lane: 'normal' as const,
      delayMs: 0,
    })),
  )
  failPoint('publish.jobs-added')
  const postponed = (notAdded?.attempts ?? []).map((attempt) => ({ attempt, forMs: 0 }))
  metrics.firstJobs.inc(deliveries.length - postponed.length)
  if (!notAdded) return
  log.debug({ err: notAdded.reason, jobs: postponed.length }, 'first attempts are postponed')
  await postponeAttempts(database, postponed).catch((failure: unknown) => {
    log.debug({ err: failure }, 'holds are left to expire')
  })
}

/** Adds the first job of a held delivery after the request's transaction commits. */
export function addFirstJobAfter(
  { afterCommit }: Work,
  services: FirstJobServices,
  { heldForMs, ...delivery }: Omit<NewDelivery, 'held'> & { heldForMs: number },
): void {
  if (heldForMs > 0) afterCommit(() => addFirstJobs(services, [delivery]))
}
