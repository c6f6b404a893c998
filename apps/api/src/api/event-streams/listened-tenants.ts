/** The organizations with open streams on any process. An entry expires unless it is added again. */
export class ListenedTenants {
  readonly #until = new Map<string, number>()
  readonly #lifetimeMs: number

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs
  }

  add(tenantId: string): void {
    this.#until.set(tenantId, performance.now() + this.#lifetimeMs)
  }

  has(tenantId: string): boolean {
    const until = this.#until.get(tenantId)
    if (until === undefined) return false
    if (until > performance.now()) return true
    this.#until.delete(tenantId)
    return false
  }

  isEmpty(): boolean {
    return this.#until.size === 0
  }
}
