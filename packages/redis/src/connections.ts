import type { Config } from '@hosting/core'
import {
  Cluster,
  Redis,
  SentinelConnector,
  type RedisOptions,
  type SentinelConnectionOptions,
} from 'ioredis'

/**
 * Where Redis is, and over how many shards the queues are spread (docs/specification/operations.md#redis).
 */
export interface RedisPlace {
  readonly nodes: readonly string[]
  readonly mode: 'single' | 'cluster' | 'sentinel'
  readonly sentinelPassword?: string | undefined
  readonly shards: number
}

/** A connection of either kind; BullMQ takes both. */
export type RedisConnection = Redis | Cluster

/** Enough to give each of a cluster's nodes some, by the chance of their slots. */
const shardsOfCluster = 8

/** Where the configuration says that Redis is. */
export const redisPlaceOf = ({
  redisNodes,
  redisMode,
  sentinelPassword,
  queueShards,
}: Pick<Config, 'redisNodes' | 'redisMode' | 'sentinelPassword' | 'queueShards'>): RedisPlace => ({
  nodes: redisNodes.reveal(),
  mode: redisMode,
  sentinelPassword: sentinelPassword?.reveal(),
  shards: queueShards ?? (redisMode === 'cluster' ? shardsOfCluster : 1),
})

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

/** Without the one option that changes the types of answers. */
type Options = Omit<RedisOptions, 'replyMapping'>

type Patience = Pick<
  Options,
  'enableOfflineQueue' | 'maxRetriesPerRequest' | 'commandTimeout' | 'connectTimeout'
>

function connect(place: RedisPlace, patience: Patience): RedisConnection {
  const nodes = place.nodes.map((node) => new URL(node))
  const [first] = nodes as [URL, ...URL[]]
  const common: Options = {
    ...patience,
    disconnectTimeout: 100,
    ...(first.username && { username: decodeURIComponent(first.username) }),
    ...(first.password && { password: decodeURIComponent(first.password) }),
    ...(isSecure(first) && { tls: {} }),
  }
  if (place.mode === 'cluster') return connectCluster(nodes, common)
  if (place.mode === 'sentinel') {
    return new Redis({ ...common, ...reconnecting, ...sentinelOptions(place, nodes) })
  }
  const db = Number(first.pathname.slice(1) || 0)
  return new Redis({ ...common, ...reconnecting, ...addressOf(first, 6379), db })
}

const retryDelayMs = (attempt: number): number => Math.min(50 * 2 ** attempt, 1_000)

const reconnecting: Options = {
  retryStrategy: retryDelayMs,
  // A master that became a replica under an open connection: the new one is found by connecting anew.
  reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 2 : false),
}

/**
 * Stops listening to the Sentinels for the connection before. ioredis goes on, and their word of a new master, if it
 * comes while the master is asked for, would end the new connection for ever.
 */
class FreshSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions)
  }

  override connect(...args: Parameters<SentinelConnector['connect']>) {
    this.disconnect()
    return super.connect(...args)
  }
}

const sentinelOptions = ({ sentinelPassword }: RedisPlace, nodes: readonly URL[]): Options => ({
  name: nodes[0]!.pathname.slice(1) || 'mymaster',
  sentinels: nodes.map((node) => addressOf(node, 26379)),
  ...(sentinelPassword !== undefined && { sentinelPassword }),
  sentinelRetryStrategy: retryDelayMs,
  // The Sentinels' word of a new master ends the connection to the old one, which may not know yet.
  failoverDetector: true,
  Connector: FreshSentinelConnector,
  ...(isSecure(nodes[0]!) && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
})

/** While a node is replaced, a command looks for the new one so often, so many ms apart. */
const redirections = { maxRedirections: 4, retryDelayOnFailover: 50, retryDelayOnClusterDown: 50 }
/** How often the nodes are asked who holds what, in ms, beside each redirection. */
const slotsRefreshMs = 2_000

function connectCluster(
  nodes: readonly URL[],
  { enableOfflineQueue = true, ...perNode }: Options,
): Cluster {
  const isPatient = perNode.maxRetriesPerRequest === null
  return new Cluster(
    nodes.map((node) => addressOf(node, 6379)),
    {
      clusterRetryStrategy: retryDelayMs,
      enableOfflineQueue,
      slotsRefreshInterval: slotsRefreshMs,
      // A consumer's commands wait for the new node; a producer's give up soon.
      ...(!isPatient && redirections),
      redisOptions: perNode,
    },
  )
}

const isSecure = (node: URL): boolean => node.protocol === 'rediss:'

const addressOf = ({ hostname, port }: URL, standardPort: number) => ({
  host: hostname.replace(/^\[(.*)\]$/, '$1'),
  port: Number(port) || standardPort,
})
