/** How many lookups may run at a time. */
export interface LookupLimits {
  readonly perTenantMax: number
  readonly totalMax: number
}

/** Limits lookups per tenant and in total. When the total is reached, tenants take turns. */
export interface LookupTurns {
  /** Returns `undefined` if the lookup may start at once, otherwise a promise of its turn. */
  take(tenantId: string): Promise<void> | undefined
  /** Must be called once for each turn that was taken. */
  release(tenantId: string): void
  readonly running: number
  readonly waiting: number
}

interface Tenant {
  running: number
  readonly waiting: (() => void)[]
}

/** Creates the turns for the lookups of a process. */
export function createLookupTurns({ perTenantMax, totalMax }: LookupLimits): LookupTurns {
  // In the order in which the tenants get their next turn.
  const tenants = new Map<string, Tenant>()
  let running = 0
  let waiting = 0

  const start = (id: string, tenant: Tenant): void => {
    running += 1
    tenant.running += 1
    tenants.delete(id)
    tenants.set(id, tenant)
  }
  const startNext = (): void => {
    for (const [id, tenant] of tenants) {
      if (tenant.running >= perTenantMax || tenant.waiting.length === 0) continue
      waiting -= 1
      start(id, tenant)
      tenant.waiting.shift()!()
      return
    }
  }
  return {
    take(id) {
      const tenant = tenants.get(id) ?? { running: 0, waiting: [] }
      if (running < totalMax && tenant.running < perTenantMax) {
        start(id, tenant)
        return undefined
      }
      tenants.set(id, tenant)
      waiting += 1
      return new Promise((resolve) => tenant.waiting.push(resolve))
    },
    release(id) {
      const tenant = tenants.get(id)!
      running -= 1
      tenant.running -= 1
      if (tenant.running === 0 && tenant.waiting.length === 0) tenants.delete(id)
      startNext()
    },
    get running() {
      return running
    },
    get waiting() {
      return waiting
    },
  }
}
