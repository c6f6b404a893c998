import { randomUUID } from 'node:crypto'

/** A delivery as the model expects it. */
export interface ModelDelivery {
  readonly id: string
  /** The delivery of the event that a publish made: the deliveries of an event share it. */
  readonly origin: string
  /** `lapsed`: the time of its lease is over, but no other process has taken it. */
  state: 'waiting' | 'leased' | 'lapsed' | 'succeeded' | 'dead'
  attempts: number
  lease: string | null
}

/** After this attempt, a failed delivery is dead. */
export const attemptsMax = 3

/** What one endpoint and its deliveries do, without a database. */
export class DeliveryModel {
  readonly deliveries: ModelDelivery[] = []
  endpoint: 'enabled' | 'disabled' | 'deleted' = 'enabled'
  /** The ids of the valid signing secrets, newest first. */
  secretIds: string[] = []

  /** Any of the deliveries, chosen by a number. */
  pick(index: number): ModelDelivery | undefined {
    return this.deliveries[index % Math.max(1, this.deliveries.length)]
  }

  /** Any of those whose attempt a process has claimed. */
  pickLeased(index: number): ModelDelivery | undefined {
    const leased = this.deliveries.filter(({ lease }) => lease !== null)
    return leased[index % Math.max(1, leased.length)]
  }

  published(id: string): void {
    this.deliveries.push({ id, origin: id, state: 'waiting', attempts: 0, lease: null })
  }

  redelivered(id: string, { origin }: ModelDelivery): void {
    this.deliveries.push({ id, origin, state: 'waiting', attempts: 0, lease: null })
  }

  /** Whether a process may make an attempt now. */
  mayClaim(delivery: ModelDelivery, number: number): boolean {
    return this.endpoint === 'enabled' && isFree(delivery) && number === delivery.attempts + 1
  }

  /** A process tried to claim an attempt; `lease`: it succeeded. */
  claimed(delivery: ModelDelivery, number: number, lease: string | undefined): void {
    if (lease !== undefined) Object.assign(delivery, { state: 'leased', lease })
    // What may not start is postponed.
    else if (isFree(delivery) && number === delivery.attempts + 1) this.postponed(delivery)
  }

  /** Whether an outcome is recorded: of the lease, or after a lease that nobody has claimed since. */
  mayFinish({ state, lease }: ModelDelivery, ofLease: string): boolean {
    return lease === null ? state === 'waiting' : lease === ofLease
  }

  postponed(delivery: ModelDelivery): void {
    Object.assign(delivery, { state: 'waiting', lease: null })
  }

  finished(delivery: ModelDelivery, isSuccess: boolean): void {
    delivery.attempts += 1
    delivery.lease = null
    if (isSuccess) delivery.state = 'succeeded'
    else delivery.state = delivery.attempts === attemptsMax ? 'dead' : 'waiting'
  }

  abandoned(): void {
    if (this.endpoint !== 'deleted') return
    for (const delivery of this.deliveries.filter(isFree)) {
      Object.assign(delivery, { state: 'dead', lease: null })
    }
  }

  /** What a recovery redelivers: the last delivery of each event, if it is dead. */
  toRecover(): ModelDelivery[] {
    const last = new Map(this.deliveries.map((delivery) => [delivery.origin, delivery]))
    return [...last.values()].filter(({ state }) => state === 'dead')
  }

  /** What the database should contain. */
  expected() {
    return this.deliveries.map(({ id, state, attempts, lease }) => {
      const hasEnded = state === 'succeeded' || state === 'dead'
      return {
        id,
        outcome: hasEnded ? state : null,
        attempt_count: attempts,
        attempts: Array.from({ length: attempts }, (_, index) => index + 1),
        attempts_made: hasEnded ? null : attempts,
        lease_id: lease,
      }
    })
  }
}

const isFree = ({ state }: ModelDelivery): boolean => state === 'waiting' || state === 'lapsed'

/** A lease that no process has. */
export const unknownLease = (): string => randomUUID()
