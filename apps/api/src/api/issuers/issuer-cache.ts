/** What is known of the issuers that organizations use: see {@link createIssuerCache}. */
export interface IssuerCache<State> {
  /** Returns what is known of an issuer, for an organization that needs it now. */
  use(tenantId: string, issuer: string): State
  /** Notes how much memory the state of an issuer takes, in bytes. */
  resize(issuer: string, state: State, bytes: number): void
  readonly bytes: number
}

interface Held<State> {
  readonly state: State
  bytes: number
  readonly tenants: Set<string>
}

interface Tenant {
  bytes: number
  /** When it last used each issuer, with the one first that it has not used for longest. */
  readonly usedAt: Map<string, number>
}

/** About what an issuer without keys takes, and what an organization's use of it does, in bytes. */
const emptyBytes = 1_024
const useBytes = 256

const sweepEveryMs = 60_000

interface CacheLimits {
  readonly perTenant: number
  readonly total: number
  readonly keptMs: number
  readonly now: () => number
}

/**
 * Creates a cache that is limited in bytes, for each organization and in total. An issuer counts for every organization
 * that uses it, and is forgotten when none uses it any more, so no organization can displace what another one uses. If
 * all together use too much, the one that uses most gives up what it has not used for longest.
 *
 * @param create - creates the state of a new issuer.
 * @param limits - `perTenant` and `total` in bytes. `keptMs`: an issuer is forgotten if it was not used for so long.
 *   `now`: a clock that never jumps, in ms.
 */
export const createIssuerCache = <State extends object>(
  create: () => State,
  limits: CacheLimits,
): IssuerCache<State> => new LimitedCache(create, limits)

class LimitedCache<State extends object> implements IssuerCache<State> {
  bytes = 0
  readonly #create: () => State
  readonly #limits: CacheLimits
  readonly #issuers = new Map<string, Held<State>>()
  readonly #tenants = new Map<string, Tenant>()
  #sweptAt: number

  constructor(create: () => State, limits: CacheLimits) {
    this.#create = create
    this.#limits = limits
    this.#sweptAt = limits.now()
  }

  use(tenantId: string, issuer: string): State {
    this.#sweep()
    const held = this.#hold(issuer)
    const tenant = this.#tenantOf(tenantId)
    if (!tenant.usedAt.delete(issuer)) {
      held.tenants.add(tenantId)
      tenant.bytes += useBytes + held.bytes
      this.bytes += useBytes
    }
    tenant.usedAt.set(issuer, this.#limits.now())
    this.#shrink([tenantId])
    return held.state
  }

  resize(issuer: string, state: State, stateBytes: number): void {
    const held = this.#issuers.get(issuer)
    if (held?.state !== state) return
    const more = emptyBytes + 2 * issuer.length + stateBytes - held.bytes
    held.bytes += more
    this.bytes += more
    for (const tenantId of held.tenants) this.#tenants.get(tenantId)!.bytes += more
    this.#shrink([...held.tenants])
  }

  #hold(issuer: string): Held<State> {
    const present = this.#issuers.get(issuer)
    if (present) return present
    const held = {
      state: this.#create(),
      bytes: emptyBytes + 2 * issuer.length,
      tenants: new Set<string>(),
    }
    this.#issuers.set(issuer, held)
    this.bytes += held.bytes
    return held
  }

  #tenantOf(tenantId: string): Tenant {
    const tenant = this.#tenants.get(tenantId) ?? { bytes: 0, usedAt: new Map<string, number>() }
    this.#tenants.set(tenantId, tenant)
    return tenant
  }

  #forget(tenantId: string, issuer: string): void {
    const tenant = this.#tenants.get(tenantId)!
    const held = this.#issuers.get(issuer)!
    tenant.usedAt.delete(issuer)
    tenant.bytes -= useBytes + held.bytes
    this.bytes -= useBytes
    if (tenant.usedAt.size === 0) this.#tenants.delete(tenantId)
    held.tenants.delete(tenantId)
    if (held.tenants.size > 0) return
    this.#issuers.delete(issuer)
    this.bytes -= held.bytes
  }

  #forgetOldest(tenantId: string): void {
    this.#forget(tenantId, this.#tenants.get(tenantId)!.usedAt.keys().next().value!)
  }

  #shrink(tenantIds: readonly string[]): void {
    const { perTenant, total } = this.#limits
    for (const tenantId of tenantIds) {
      while ((this.#tenants.get(tenantId)?.bytes ?? 0) > perTenant) this.#forgetOldest(tenantId)
    }
    while (this.bytes > total) {
      const [most] = [...this.#tenants].reduce((one, other) =>
        other[1].bytes > one[1].bytes ? other : one,
      )
      this.#forgetOldest(most)
    }
  }

  #sweep(): void {
    const now = this.#limits.now()
    if (now - this.#sweptAt < sweepEveryMs) return
    this.#sweptAt = now
    for (const [tenantId, { usedAt }] of this.#tenants) {
      for (const [issuer, at] of usedAt) {
        if (now - at >= this.#limits.keptMs) this.#forget(tenantId, issuer)
      }
    }
  }
}
