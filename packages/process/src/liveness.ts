import type { Logger } from './logger.ts'

/** A server that a process needs, as {@link watchLiveness} asks about it. Neither function throws. */
export interface NeededServer {
  readonly name: string
  /** Whether the server responds on any of the connections of the process. */
  responds(): Promise<boolean>
  /** Whether the server responds on a new connection. */
  acceptsConnections(): Promise<boolean>
}

/** Whether a restart would help a process. */
export interface Liveness {
  /** Why the process must be restarted. `undefined`: there is no reason. */
  findReason(): string | undefined
  stop(): void
}

/** When a process must be restarted. */
export interface LivenessLimits {
  /** How often the servers are asked, in ms. */
  readonly everyMs: number
  /** The number of checks in a row with nothing but dead connections. */
  readonly deadChecksMax: number
}

/** Two minutes. */
const defaultLimits: LivenessLimits = { everyMs: 10_000, deadChecksMax: 12 }

/**
 * Watches whether the process can still reach the servers that it needs. Dead connections are replaced long before
 * (packages/postgres/connections.md#silent-connections). This finds a process in which that fails: all of its
 * connections to a server are dead, and the server responds on a new one. An outage of the server is no reason to
 * restart.
 *
 * Counts checks instead of time, so that a process that was stopped for minutes first gets the time to recover.
 */
export function watchLiveness(
  servers: readonly NeededServer[],
  log: Pick<Logger, 'error'>,
  { everyMs, deadChecksMax }: LivenessLimits = defaultLimits,
): Liveness {
  const deadChecks = new Map<string, number>()
  let isChecking = false

  async function check(server: NeededServer): Promise<void> {
    const { name } = server
    const isDead = !(await server.responds()) && (await server.acceptsConnections())
    const count = isDead ? (deadChecks.get(name) ?? 0) + 1 : 0
    deadChecks.set(name, count)
    if (count === deadChecksMax) log.error({ server: name }, 'the process must be restarted')
  }

  const timer = setInterval(() => {
    if (isChecking) return
    isChecking = true
    void Promise.all(servers.map(check)).finally(() => (isChecking = false))
  }, everyMs).unref()

  return {
    findReason() {
      const dead = servers.find(({ name }) => (deadChecks.get(name) ?? 0) >= deadChecksMax)
      return dead && `No connection of this process to ${dead.name} works, but a new one does.`
    },
    stop: () => clearInterval(timer),
  }
}
