import { refusalMinuteMs, refusalRowsMax } from '@hosting/core/audit'
import { createUuidv7 } from '@hosting/core/ids'
import { addressGroup } from '@hosting/core/network'
import type { ProblemCode } from '@hosting/core/problems'
import { recordRefusalCrowd, recordRefusals, type AuditActor } from '@hosting/postgres/audit'
import type { Database } from '@hosting/postgres/database'
import type { Logger } from '@hosting/process'
import { LRUCache } from 'lru-cache'
import { RegularFlush } from './usage-counter.ts'

/** A refusal of a known key. */
export interface KeyRefusal {
  readonly tenantId: string
  readonly keyId: string
  readonly actor: AuditActor
  readonly reason: ProblemCode
  readonly ip: string
  /** The id of the requested route. */
  readonly route: string
  /** The scope that was missing, of `insufficient_scope`. */
  readonly scope?: string | undefined
  readonly requestId: string
}

/** Refusals of a key for one reason from many addresses. */
interface Crowd {
  readonly sample: KeyRefusal
  readonly addressGroups: Set<string>
  times: number
}

const windowsMax = 10_000

/**
 * Writes refusals to the audit log. The first refusal of a key, reason, address group, route and missing scope in a
 * minute is written before the response. Repeats, and refusals from too many addresses, are counted here. Every two seconds
 * they are added to the count in PostgreSQL, which all processes share.
 */
export class Refusals {
  readonly #seen = new LRUCache<string, true>({ max: windowsMax, ttl: refusalMinuteMs })
  readonly #rows = new LRUCache<string, number>({
    max: windowsMax,
    ttl: refusalMinuteMs,
    noUpdateTTL: true,
  })
  #repeats = new Map<string, { refusal: KeyRefusal; times: number }>()
  #crowds = new Map<string, Crowd>()
  readonly #database: Database
  readonly #log: Logger
  readonly #regularFlush = new RegularFlush(() => this.#flush())

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** Records a refusal. A failed write is logged and does not change the response. */
  async record(refusal: KeyRefusal): Promise<void> {
    const { keyId, reason, ip, route, scope } = refusal
    const group = addressGroup(ip)
    const subject = `${keyId} ${reason}`
    const name = [subject, group, route, scope].join(' ')
    if (this.#seen.has(name)) {
      const times = (this.#repeats.get(name)?.times ?? 0) + 1
      this.#repeats.set(name, { refusal, times })
      return
    }
    const rows = this.#rows.get(subject) ?? 0
    if (rows >= refusalRowsMax) {
      this.#addToCrowd(subject, refusal, group)
      return
    }
    this.#rows.set(subject, rows + 1)
    this.#seen.set(name, true)
    await this.#write(() => recordRefusals(this.#database, [toCounted(refusal, 1)]))
  }

  /** Writes the pending counts and stops. */
  close(): Promise<void> {
    return this.#regularFlush.close()
  }

  #addToCrowd(subject: string, sample: KeyRefusal, group: string): void {
    const crowd = this.#crowds.get(subject) ?? { sample, addressGroups: new Set(), times: 0 }
    crowd.addressGroups.add(group)
    crowd.times += 1
    this.#crowds.set(subject, crowd)
  }

  async #flush(): Promise<void> {
    const repeats = [...this.#repeats.values()]
    const crowds = [...this.#crowds.values()]
    this.#repeats = new Map()
    this.#crowds = new Map()
    if (repeats.length > 0) {
      const counted = repeats.map(({ refusal, times }) => toCounted(refusal, times))
      await this.#write(() => recordRefusals(this.#database, counted))
    }
    for (const { sample, addressGroups, times } of crowds) {
      const counted = toCounted(sample, times)
      await this.#write(() => recordRefusalCrowd(this.#database, counted, [...addressGroups]))
    }
  }

  async #write(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      this.#log.error({ err: error }, 'refusals could not be written to the audit log')
    }
  }
}

const toCounted = (refusal: KeyRefusal, times: number) => ({
  ...refusal,
  id: createUuidv7(),
  times,
})
