import { Problem } from '@hosting/core/problems'
import { hash, verify } from '@node-rs/argon2'
import { availableParallelism } from 'node:os'
import { createTurns, type Turns } from '@hosting/core/concurrency'

/** The limits of a {@link WorkQueue}. */
interface WorkQueueLimits {
  /** Maximum concurrent runs. */
  readonly runningMax: number
  /** Maximum admitted pieces of work, running or waiting. */
  readonly admittedMax: number
}

/** A bounded queue for expensive work. Work beyond the limit is rejected immediately instead of waiting. */
export class WorkQueue {
  readonly #limits: WorkQueueLimits
  readonly #turns: Turns
  #admitted = 0

  constructor(limits: WorkQueueLimits) {
    this.#limits = limits
    this.#turns = createTurns({ perKey: limits.runningMax })
  }

  /** The number of waiting runs. */
  get waiting(): number {
    return this.#turns.waiting
  }

  /** Whether {@link admit} would refuse. */
  get isFull(): boolean {
    return this.#admitted >= this.#limits.admittedMax
  }

  /** Starts a piece of work, which may call {@link run}. Returns `undefined` if the queue is full. */
  admit<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.isFull) return undefined
    this.#admitted += 1
    return work().finally(() => {
      this.#admitted -= 1
    })
  }

  /** Runs the expensive part of an admitted piece of work, in order of arrival. */
  async run<T>(expensive: () => Promise<T>): Promise<T> {
    const end = await this.#turns.take('work')
    try {
      return await expensive()
    } finally {
      end!()
    }
  }
}

// Argon2id with the library's parameters, which are OWASP's: 19 MiB, 2 passes, 1 lane.

/**
 * Each hash takes 19 MiB and a core for tens of milliseconds. One core is reserved for the event loop, and the queue
 * is bounded, so that a flood of sign-ins delays no other request.
 */
const cores = availableParallelism()
const hashesMax = Math.max(cores - 1, 1)
const admittedMax = Math.max(4 * cores, 32)
export const passwordQueue = new WorkQueue({ runningMax: hashesMax, admittedMax })

/**
 * Maximum concurrent lookups before hashing. Without this limit, admitted sign-ins would use up the database
 * connections and block the event loop.
 */
const lookupsMax = 4
const lookups = new WorkQueue({ runningMax: lookupsMax, admittedMax })

/** How a password matches a hash. */
export type PasswordMatch = 'current' | 'outdated' | 'wrong'

/** Hashes and verifies passwords. */
export interface PasswordHasher {
  /** Hashes a password in its {@link normalPassword} form with argon2id, in PHC string format. */
  hash(password: string): Promise<string>
  /**
   * Whether the password matches the hash. Without a hash the result is false after the same work, so the duration
   * does not reveal whether there is one. Hashes of passwords in other forms, which were made before, match, too.
   *
   * @returns `outdated` if it matches a hash that {@link hash} would not make: of another form, or with other
   *   parameters. `wrong` if it does not match.
   */
  check(passwordHash: string | null | undefined, password: string): Promise<PasswordMatch>
  /** Does what comes before a hash, such as lookups, a few at a time. */
  lookUp<T>(work: () => Promise<T>): Promise<T>
}

const hasher: PasswordHasher = {
  hash: (password) => passwordQueue.run(() => hash(normalPassword(password))),
  async check(passwordHash, password) {
    for (const form of formsOf(password)) {
      const isSame = await passwordQueue.run(() => verify(passwordHash ?? dummyHash, form))
      if (!isSame) continue
      if (typeof passwordHash !== 'string') return 'wrong'
      const isCurrent = form === normalPassword(password) && passwordHash.startsWith(parameters)
      return isCurrent ? 'current' : 'outdated'
    }
    return 'wrong'
  },
  lookUp: (work) => lookups.run(work),
}

/**
 * The form of a password that is hashed: NFKC, as NIST SP 800-63B, section 3.1.1.2, recommends. Systems send the same
 * key presses as one or two code points, and East Asian keyboards send letters in full width.
 */
export const normalPassword = (password: string): string => password.normalize('NFKC')

/** The forms in which a password may have been hashed. One for a password in ASCII. */
const formsOf = (password: string): ReadonlySet<string> =>
  new Set([
    normalPassword(password),
    password,
    password.normalize('NFC'),
    password.normalize('NFD'),
  ])

/** The hash of a discarded random password. */
const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$XDAsU67FIvYEGa1qf2uzGQ$0/lDV27O2UoFaryoBpMNX/xqscsa74EeGY2c8MEezDY'

/** How the hashes begin that are made now. */
const parameters = dummyHash.split('$').slice(0, 4).join('$') + '$'

/** One for all: making an error costs more than the rest of a refusal. */
const tooManyWait = new Problem('service_unavailable', { headers: { 'Retry-After': '2' } })

/** Checks for room, before a body is read or anything looked up. @throws Problem `service_unavailable` */
export function requireRoomToHash(): void {
  if (passwordQueue.isFull) throw tooManyWait
}

/**
 * Admits a request that hashes passwords. Must be called before any transaction opens.
 *
 * @throws Problem `service_unavailable` if too many are admitted already.
 */
export function withPasswordHasher<T>(work: (hasher: PasswordHasher) => Promise<T>): Promise<T> {
  const admitted = passwordQueue.admit(() => work(hasher))
  if (!admitted) throw tooManyWait
  return admitted
}
