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

const mastersCount = 3
const slots = 16_384

/**
 * Starts a Redis Cluster of six processes: three masters with one replica each.
 *
 * @param options - `nodeTimeoutMs`: a master that does not respond for this time is replaced. The default is short,
 *   so that tests do not wait long for a failover.
 */
export async function startRedisCluster(
  directory: string,
  { nodeTimeoutMs = 1_000 } = {},
): Promise<ManyRedis> {
  const nodes = await Promise.all(
    Array.from({ length: 2 * mastersCount }, (_, index) =>
      startNode(join(directory, `node-${index}`), nodeTimeoutMs),
    ),
  )
  await introduce(nodes)
  const cluster: ManyRedis = {
    environment: {
      REDIS_MODE: 'cluster',
      REDIS_URL: nodes.map(({ port }) => `redis://:${nodePassword}@127.0.0.1:${port}`).join(','),
    },
    async masters() {
      const ports = await mastersOf(await someRespondingNode(nodes))
      return nodes.filter(({ port }) => ports.includes(port))
    },
    async replaced(master) {
      await until(
        async () => {
          const others = nodes.filter((node) => node !== master)
          // The query may be early, and the reply late.
          const asked = someRespondingNode(others).then(mastersOf)
          return await asked.catch((): number[] => [])
        },
        (ports) => ports.length === mastersCount && !ports.includes(master.port),
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

const startNode = (directory: string, nodeTimeoutMs: number): Promise<RedisNode> =>
  startRedisNode(directory, async () => [
    'cluster-enabled yes',
    `cluster-port ${await freePort()}`,
    'cluster-config-file nodes.conf',
    `cluster-node-timeout ${nodeTimeoutMs}`,
    'cluster-replica-validity-factor 0',
    'repl-diskless-sync-delay 0',
    `masterauth ${nodePassword}`,
    'maxmemory-policy noeviction',
  ])

/** Creates a cluster of the nodes: the slots divided among the first three, and a replica for each. */
async function introduce(nodes: readonly RedisNode[]): Promise<void> {
  const [first, ...others] = nodes as [RedisNode, ...RedisNode[]]
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
  for (const [index, { port }] of others.entries()) {
    await first.command('CLUSTER', 'MEET', '127.0.0.1', port, busPorts[index + 1]!)
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

/** The ports of the masters that a node considers healthy. */
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
