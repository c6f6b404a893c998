import { Cluster, Redis, type RedisOptions } from 'ioredis'

/** Where Redis is (contract §6, `REDIS_URL` and `REDIS_MODE`). */
export interface RedisPlace {
  readonly nodes: readonly string[]
  readonly mode: 'single' | 'cluster' | 'sentinel'
}

/** A connection of either kind; BullMQ takes both. */
export type RedisConnection = Redis | Cluster

/**
 * A connection for producers: a command fails at once while Redis is away, instead of waiting for it,
 * since a request of the API must not hang on Redis.
 *
 * @param options - `commandTimeout`: a command fails after so many ms.
 */
export const connectProducer = (
  place: RedisPlace,
  { commandTimeout }: { commandTimeout: number },
): RedisConnection =>
  connect(place, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout,
    connectTimeout: 2_000,
  })

/** A connection for consumers: its blocking reads wait for Redis to come back, as BullMQ asks. */
export const connectConsumer = (place: RedisPlace): RedisConnection =>
  connect(place, { maxRetriesPerRequest: null })

/** Ends a connection. One that has ended already would start a timer of two seconds. */
export function disconnect(connection: RedisConnection): void {
  if (connection.status !== 'end') connection.disconnect()
}

const retryDelayMs = (attempt: number): number => Math.min(50 * 2 ** attempt, 1_000)

type Patience = Pick<
  RedisOptions,
  'enableOfflineQueue' | 'maxRetriesPerRequest' | 'commandTimeout' | 'connectTimeout'
>

function connect({ nodes, mode }: RedisPlace, options: Patience): RedisConnection {
  const first = new URL(nodes[0]!)
  const common = {
    ...options,
    retryStrategy: retryDelayMs,
    disconnectTimeout: 100,
    ...(first.username && { username: decodeURIComponent(first.username) }),
    ...(first.password && { password: decodeURIComponent(first.password) }),
    ...(first.protocol === 'rediss:' && { tls: {} }),
  }
  const hosts = nodes.map((node) => {
    const { hostname, port } = new URL(node)
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
  })
  if (mode === 'cluster') {
    const { enableOfflineQueue, retryStrategy: _ofCluster, ...perNode } = common
    return new Cluster(
      hosts.map(({ host, port }) => ({ host, port: port || 6379 })),
      {
        clusterRetryStrategy: retryDelayMs,
        enableOfflineQueue: enableOfflineQueue ?? true,
        redisOptions: perNode,
      },
    )
  }
  if (mode === 'sentinel') {
    return new Redis({
      ...common,
      name: first.pathname.slice(1) || 'mymaster',
      sentinels: hosts.map(({ host, port }) => ({ host, port: port || 26379 })),
    })
  }
  return new Redis({
    ...common,
    host: hosts[0]!.host,
    port: hosts[0]!.port || 6379,
    db: Number(first.pathname.slice(1) || 0),
  })
}
