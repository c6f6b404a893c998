import type { Config } from '@hosting/core/configuration'
import {
  Cluster,
  Redis,
  SentinelConnector,
  type RedisOptions,
  type SentinelConnectionOptions,
} from 'ioredis'
import { setTimeout } from 'node:timers/promises'
import { responds, watchConnection } from './watchdog.ts'

/** The location of Redis, and the number of shards (docs/specification/operations.md#redis). */
export interface RedisTopology {
  readonly nodes: readonly string[]
  readonly mode: 'single' | 'cluster' | 'sentinel'
  readonly sentinelPassword?: string | undefined
  readonly shards: number
}

/** A connection to a server or a cluster. BullMQ accepts both. */
export type RedisConnection = Redis | Cluster

/** Enough that every node of a cluster probably gets some of the shards. */
const shardsOfCluster = 8

/** Reads the location of Redis from the configuration. */
export const redisTopologyOf = ({
  redisNodes,
  redisMode,
  sentinelPassword,
  queueShards,
}: Pick<
  Config,
  'redisNodes' | 'redisMode' | 'sentinelPassword' | 'queueShards'
>): RedisTopology => ({
  nodes: redisNodes.reveal(),
  mode: redisMode,
  sentinelPassword: sentinelPassword?.reveal(),
  shards: queueShards ?? (redisMode === 'cluster' ? shardsOfCluster : 1),
})

/**
 * Connects a producer. While Redis is unavailable, a command fails at once instead of waiting,
 * because a request of the API must not hang on Redis.
 *
 * @param options - `commandTimeout`: the timeout of a command, in ms.
 */
export const connectProducer = (
  topology: RedisTopology,
  { commandTimeout }: { commandTimeout: number },
): RedisConnection =>
  connect(topology, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout,
    connectTimeout: 2_000,
  })

/** Connects a consumer. Its blocking reads wait until Redis is available again, as BullMQ requires. */
export const connectConsumer = (topology: RedisTopology): RedisConnection =>
  connect(topology, { maxRetriesPerRequest: null })

/** How long a new connection may take, in ms. */
const acceptedMsMax = 3_000

/**
 * Redis, as `watchLiveness` of @hosting/process asks about it.
 *
 * @param users - what uses connections to it.
 */
export const neededRedis = (
  topology: RedisTopology,
  users: readonly { responds(): Promise<boolean> }[],
) => ({
  name: 'Redis',
  responds: async () => (await Promise.all(users.map((user) => user.responds()))).includes(true),
  acceptsConnections: () => acceptsConnections(topology),
})

/** Whether Redis responds on a new connection. Takes at most five seconds, and does not throw. */
async function acceptsConnections(topology: RedisTopology): Promise<boolean> {
  const connection = connectProducer(topology, { commandTimeout: acceptedMsMax })
  const isReady = new Promise<boolean>((resolve) => {
    connection.on('error', () => resolve(false)).once('ready', () => resolve(true))
  })
  const late = setTimeout(acceptedMsMax, false, { ref: false })
  try {
    return (await Promise.race([isReady, late])) && (await responds(connection))
  } finally {
    disconnect(connection)
  }
}

/** Ends a connection. `disconnect` on an ended connection would start a timer of two seconds. */
export function disconnect(connection: RedisConnection): void {
  if (connection.status !== 'end') connection.disconnect()
}

/** All options except the one that changes the types of replies. */
type Options = Omit<RedisOptions, 'replyMapping'>

type Patience = Pick<
  Options,
  'enableOfflineQueue' | 'maxRetriesPerRequest' | 'commandTimeout' | 'connectTimeout'
>

/**
 * How long a connection may wait for bytes that it has asked for, in ms: also while it is being set up, and longer than
 * BullMQ's blocking reads, which end after at most 10 s.
 */
const socketTimeoutMs = 12_000

/** After this time without traffic, in ms, the operating system checks whether the other side still exists. */
const keepAliveMs = 10_000

/** How long a command to a Sentinel may take, in ms. */
const sentinelCommandMsMax = 2_000

function connect(topology: RedisTopology, patience: Patience): RedisConnection {
  const connection = open(topology, patience)
  watchConnection(connection)
  return connection
}

function open(topology: RedisTopology, patience: Patience): RedisConnection {
  const nodes = topology.nodes.map((node) => new URL(node))
  const [first] = nodes as [URL, ...URL[]]
  const common: Options = {
    ...patience,
    disconnectTimeout: 100,
    socketTimeout: socketTimeoutMs,
    keepAlive: keepAliveMs,
    ...(first.username && { username: decodeURIComponent(first.username) }),
    ...(first.password && { password: decodeURIComponent(first.password) }),
    ...(isSecure(first) && { tls: {} }),
  }
  if (topology.mode === 'cluster') return connectCluster(nodes, common)
  if (topology.mode === 'sentinel') {
    return new Redis({ ...common, ...reconnecting, ...sentinelOptions(topology, nodes) })
  }
  const db = Number(first.pathname.slice(1) || 0)
  return new Redis({ ...common, ...reconnecting, ...addressOf(first, 6379), db })
}

const retryDelayMs = (attempt: number): number => Math.min(50 * 2 ** attempt, 1_000)

const reconnecting: Options = {
  retryStrategy: retryDelayMs,
  // After a master became a replica under an open connection, a reconnect finds the new master.
  reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 2 : false),
}

/**
 * Stops listening to the Sentinels of the previous connection. ioredis does not, and a message
 * about a new master during the lookup of the master would end the new connection permanently.
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

const sentinelOptions = ({ sentinelPassword }: RedisTopology, nodes: readonly URL[]): Options => ({
  name: nodes[0]!.pathname.slice(1) || 'mymaster',
  sentinels: nodes.map((node) => addressOf(node, 26379)),
  ...(sentinelPassword !== undefined && { sentinelPassword }),
  sentinelRetryStrategy: retryDelayMs,
  sentinelCommandTimeout: sentinelCommandMsMax,
  // When the Sentinels report a new master, end the connection to the old one, which may not know
  // yet.
  failoverDetector: true,
  Connector: FreshSentinelConnector,
  ...(isSecure(nodes[0]!) && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
})

/** While a node is replaced, a command looks for the new one this many times, with these pauses in ms. */
const redirections = { maxRedirections: 4, retryDelayOnFailover: 50, retryDelayOnClusterDown: 50 }
/** The interval, in ms, at which the owners of the hash slots are read, in addition to each redirection. */
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
      // Commands of a consumer wait for the new node. Commands of a producer give up soon.
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
