import { join } from 'node:path'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { nodePassword, startRedisNode, type RedisNode } from './redis-node.ts'
import { until } from './until.ts'

/** A Redis whose parts can fail, and the settings of processes that use it. */
export interface ManyRedis {
  readonly environment: Readonly<Record<string, string>>
  /** The masters that serve data now; queried on every call. */
  masters(): Promise<RedisNode[]>
  /** Waits until another node has replaced this one. */
  replaced(master: RedisNode): Promise<void>
  /** Waits until all nodes are connected again, and each master has a replica in sync. */
  whole(): Promise<void>
  stop(): Promise<void>
}

/** The options of {@link startRedisCluster}. */
export interface ClusterOptions {
  /** A master that does not respond for this time is replaced. The default is short, so that tests do not wait long. */
  readonly nodeTimeoutMs?: number
  /** Returns the port at which everyone reaches a node that listens on a port. Default: that port. */
  readonly announce?: (port: number) => Promise<number>
}

interface ClusterNode extends RedisNode {
  readonly announcedPort: number
}

const mastersCount = 3
const slots = 16_384

/** Starts a Redis Cluster of six processes: three masters with one replica each. */
export async function startRedisCluster(
  directory: string,
  { nodeTimeoutMs = 1_000, announce = (port) => Promise.resolve(port) }: ClusterOptions = {},
): Promise<ManyRedis> {
  const nodes = await Promise.all(
    Array.from({ length: 2 * mastersCount }, (_, index) =>
      startNode(join(directory, `node-${index}`), { nodeTimeoutMs, announce }),
    ),
  )
  await introduce(nodes)
  const cluster: ManyRedis = {
    environment: {
      REDIS_MODE: 'cluster',
      REDIS_URL: nodes
        .map(({ announcedPort }) => `redis://:${nodePassword}@127.0.0.1:${announcedPort}`)
        .join(','),
    },
    async masters() {
      const ports = await mastersOf(await someRespondingNode(nodes))
      return nodes.filter(({ announcedPort }) => ports.includes(announcedPort))
    },
    async replaced(master) {
      const replacedPort = nodes.find((node) => node === master)!.announcedPort
      await until(
        async () => {
          const others = nodes.filter((node) => node !== master)
          // The query may be early, and the reply late.
          const asked = someRespondingNode(others).then(mastersOf)
          return await asked.catch((): number[] => [])
        },
        (ports) => ports.length === mastersCount && !ports.includes(replacedPort),
        60_000,
      )
    },
    whole: () => untilWhole(nodes),
    async stop() {
      for (const node of nodes) node.resume()
      await Promise.all(nodes.map((node) => node.kill()))
    },
  }
  await cluster.whole()
  return cluster
}

async function startNode(
  directory: string,
  { nodeTimeoutMs, announce }: Required<ClusterOptions>,
): Promise<ClusterNode> {
  let announcedPort = 0
  const node = await startRedisNode(directory, async (port) => {
    announcedPort = await announce(port)
    return [
      'cluster-enabled yes',
      `cluster-port ${await freePort()}`,
      `cluster-announce-port ${announcedPort}`,
      'cluster-config-file nodes.conf',
      `cluster-node-timeout ${nodeTimeoutMs}`,
      'cluster-replica-validity-factor 0',
      'repl-diskless-sync-delay 0',
      `masterauth ${nodePassword}`,
      'maxmemory-policy noeviction',
    ]
  })
  return { ...node, announcedPort }
}

/** Creates a cluster of the nodes: the slots divided among the first three, and a replica for each. */
async function introduce(nodes: readonly ClusterNode[]): Promise<void> {
  const [first, ...others] = nodes as [ClusterNode, ...ClusterNode[]]
  const masters = nodes.slice(0, mastersCount)
  const busPorts = await Promise.all(nodes.map(busPortOf))
  for (const [index, node] of nodes.entries()) {
    await node.command('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)
  }
  for (const [index, master] of masters.entries()) {
    const from = Math.floor((index * slots) / mastersCount)
    const to = Math.floor(((index + 1) * slots) / mastersCount) - 1
    await master.command('CLUSTER', 'ADDSLOTSRANGE', from, to)
  }
  for (const [index, { announcedPort }] of others.entries()) {
    await first.command('CLUSTER', 'MEET', '127.0.0.1', announcedPort, busPorts[index + 1]!)
  }
  const ids = await Promise.all(masters.map((master) => master.command<string>('CLUSTER', 'MYID')))
  for (const [index, replica] of nodes.slice(mastersCount).entries()) {
    await until(
      () => replica.command<string>('CLUSTER', 'NODES'),
      (known) => known.includes(ids[index]!),
    )
    await replica.command('CLUSTER', 'REPLICATE', ids[index]!)
  }
}

const busPortOf = async (node: RedisNode): Promise<number> => {
  const [, port] = await node.command<[string, string]>('CONFIG', 'GET', 'cluster-port')
  return Number(port)
}

async function someRespondingNode(nodes: readonly RedisNode[]): Promise<RedisNode> {
  for (const node of nodes) {
    if (await node.command('PING').catch(() => undefined)) return node
  }
  throw new Error('no node responds')
}

/** The announced ports of the masters that a node considers healthy. */
async function mastersOf(node: RedisNode): Promise<number[]> {
  const known = await node.command<string>('CLUSTER', 'NODES')
  return known
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , flags = '']) => flags.includes('master') && !flags.includes('fail'))
    .map(([, address = '']) => Number(/:(\d+)@/.exec(address)![1]))
}

async function untilWhole(nodes: readonly RedisNode[]): Promise<void> {
  await until(
    () => Promise.all(nodes.map(healthOf)),
    (all) => all.every((health) => health === 'ok'),
    60_000,
  )
}

async function healthOf(node: RedisNode): Promise<string> {
  const [info, known, replication] = await Promise.all([
    node.command<string>('CLUSTER', 'INFO'),
    node.command<string>('CLUSTER', 'NODES'),
    node.command<string>('INFO', 'replication'),
  ]).catch(() => ['', '', ''] as const)
  if (!info.includes('cluster_state:ok')) return 'the cluster is down'
  if (known.trim().split('\n').length < 2 * mastersCount || /fail/.test(known)) return known
  if (replication.includes('role:slave')) {
    return replication.includes('master_link_status:up') ? 'ok' : 'not yet following'
  }
  return replication.includes('connected_slaves:0') ? 'without a replica' : 'ok'
}
