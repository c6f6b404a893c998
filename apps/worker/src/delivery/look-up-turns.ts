/** How many look-ups may run at a time. */
export interface LookUpLimits {
  readonly perTenantMax: number
  readonly totalMax: number
}

/** Limits look-ups per tenant and in total. When the total is reached, tenants take turns. */
export interface LookUpTurns {
  /** Returns `undefined` if the look-up may start at once, otherwise a promise of its turn. */
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

/** Creates the turns for the look-ups of a process. */
export function createLookUpTurns({ perTenantMax, totalMax }: LookUpLimits): LookUpTurns {
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
