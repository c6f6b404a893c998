import { join } from 'node:path'
import type { ManyRedis } from './redis-cluster.ts'
import { nodePassword, startRedisNode, type RedisNode } from './redis-node.ts'
import { until } from './until.ts'

const masterName = 'hosting'
const replicasCount = 2
const sentinelsCount = 3

/** A Redis whose master is replaced by Sentinels. */
interface WatchedRedis extends ManyRedis {
  /** In the order of `REDIS_URL`. */
  readonly sentinels: readonly RedisNode[]
}

/** Starts a Redis with two replicas, and three Sentinels that monitor them. */
export async function startRedisSentinels(directory: string): Promise<WatchedRedis> {
  const first = await startNode(join(directory, 'node-0'))
  const replicas = await Promise.all(
    Array.from({ length: replicasCount }, (_, index) =>
      startNode(join(directory, `node-${index + 1}`), first),
    ),
  )
  const nodes = [first, ...replicas]
  const sentinels = await Promise.all(
    Array.from({ length: sentinelsCount }, (_, index) =>
      startSentinel(join(directory, `sentinel-${index}`), first),
    ),
  )
  /** A server that hangs does not report its role. */
  const master = async (): Promise<RedisNode> => {
    const [, port] = await Promise.any(
      sentinels.map((sentinel) =>
        sentinel.command<[string, string]>('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName),
      ),
    )
    return nodes.find((node) => node.port === Number(port))!
  }
  const watched: WatchedRedis = {
    sentinels,
    environment: {
      REDIS_MODE: 'sentinel',
      REDIS_SENTINEL_PASSWORD: nodePassword,
      REDIS_URL: sentinels
        .map(({ port }) => `redis://:${nodePassword}@127.0.0.1:${port}/${masterName}`)
        .join(','),
    },
    masters: async () => [await master()],
    async replaced(old) {
      await until(
        // A reply may be late.
        () => master().catch(() => old),
        (current) => current !== old,
        60_000,
      )
    },
    whole: () => untilWhole(nodes, sentinels),
    async stop() {
      for (const node of [...nodes, ...sentinels]) node.resume()
      await Promise.all([...sentinels, ...nodes].map((node) => node.kill()))
    },
  }
  await watched.whole()
  return watched
}

const startNode = (directory: string, master?: RedisNode): Promise<RedisNode> =>
  startRedisNode(directory, () => [
    'maxmemory-policy noeviction',
    'repl-diskless-sync-delay 0',
    `masterauth ${nodePassword}`,
    ...(master ? [`replicaof 127.0.0.1 ${master.port}`] : []),
  ])

const startSentinel = (directory: string, master: RedisNode): Promise<RedisNode> =>
  startRedisNode(
    directory,
    () => [
      `sentinel monitor ${masterName} 127.0.0.1 ${master.port} ${Math.ceil(sentinelsCount / 2)}`,
      `sentinel auth-pass ${masterName} ${nodePassword}`,
      // The Sentinels authenticate to each other with their own password.
      `sentinel sentinel-pass ${nodePassword}`,
      `sentinel down-after-milliseconds ${masterName} 1000`,
      `sentinel failover-timeout ${masterName} 3000`,
      `sentinel parallel-syncs ${masterName} ${replicasCount}`,
    ],
    true,
  )

/** Whether every Sentinel knows all others and all replicas, and the replicas follow their master. */
async function untilWhole(
  nodes: readonly RedisNode[],
  sentinels: readonly RedisNode[],
): Promise<void> {
  await until(
    async () => {
      const watching = await Promise.all(sentinels.map(watchingOf))
      const roles = await Promise.all(nodes.map(roleOf))
      return [...watching, ...roles.filter((role) => role !== 'master')]
    },
    (all) => all.length === sentinels.length + replicasCount && all.every((one) => one === 'ok'),
    60_000,
  )
}

async function watchingOf(sentinel: RedisNode): Promise<string> {
  const about = await sentinel.command<string[]>('SENTINEL', 'MASTER', masterName)
  const facts = new Map(about.map((name, index) => [name, about[index + 1]]))
  return facts.get('flags') === 'master' &&
    facts.get('num-slaves') === String(replicasCount) &&
    facts.get('num-other-sentinels') === String(sentinelsCount - 1)
    ? 'ok'
    : JSON.stringify(Object.fromEntries(facts))
}

async function roleOf(node: RedisNode): Promise<string> {
  const replication = await node.command<string>('INFO', 'replication').catch(() => '')
  if (replication.includes('role:master')) return 'master'
  return replication.includes('master_link_status:up') ? 'ok' : 'not yet following'
}
