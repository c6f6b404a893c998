import type { Lane } from '@hosting/core'
import type { JobsOptions } from 'bullmq'

/** The BullMQ queues of attempts, by lane. Their names and prefix stand here alone. */
export const queueNames: Readonly<Record<Lane, string>> = {
  normal: 'deliveries',
  slow: 'deliveries-slow',
}

/** The hash tag keeps a queue's keys in one slot of a Redis Cluster. */
export const queuePrefix = '{hosting}'

/** Where the workers say which endpoints have a backlog. */
export const backlogKey = `${queuePrefix}:backlogged`

/** The name of the one kind of job in the queues. */
export const attemptJobName = 'attempt'

/** What a job carries: ids alone, since Redis must hold no payload and no secret. */
export interface AttemptJob {
  readonly deliveryId: string
  readonly endpointId: string
  /** The attempt's number, from 1. */
  readonly number: number
}

/**
 * One job is one attempt: BullMQ ignores a job whose id it has, so that adding it again is harmless, and
 * keeps nothing of it when it ends, so that the id of a finished one is never mistaken for a waiting one.
 */
export const attemptJobOptions = (
  { deliveryId, number }: AttemptJob,
  delayMs: number,
): JobsOptions => ({
  jobId: `${deliveryId}-${number}`,
  delay: Math.max(0, Math.round(delayMs)),
  attempts: 1,
  removeOnComplete: true,
  removeOnFail: true,
})
