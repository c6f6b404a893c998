import { root } from '../../tools/run.ts'
import { startRedisCluster } from './redis-cluster.ts'
import type { Stack } from './stack.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { manyMachines, throughPooler } from './topology.ts'

/** A server, or all of its nodes, behind proxies. */
export interface ProxiedServer {
  /** The settings of processes that reach it only through the proxies. */
  readonly environment: Readonly<Record<string, string>>
  /** Makes the open connections silent; see {@link TcpProxy.silence}. */
  silence(): void
  close(): Promise<void>
}

/** Starts proxies in front of the PostgreSQL of a stack, on many machines also in front of its pooler. */
export async function startProxiedPostgres({ database }: Stack): Promise<ProxiedServer> {
  const { directUrl } = database
  const many = manyMachines()
  const direct = await startTcpProxy(() => directUrl)
  if (!many) return serverOf([direct], { DATABASE_URL: direct.url })
  const pooled = await startTcpProxy(() => throughPooler(directUrl, many))
  return serverOf([direct, pooled], { DATABASE_URL: pooled.url, DATABASE_DIRECT_URL: direct.url })
}

/**
 * Starts a proxy in front of the Redis of a stack. On many machines, starts another Redis Cluster, because each of its
 * nodes has to announce its proxy: clients ask any node for the addresses of all.
 */
export async function startProxiedRedis({ redisUrl }: Stack): Promise<ProxiedServer> {
  if (!manyMachines()) {
    const proxy = await startTcpProxy(() => redisUrl)
    return serverOf([proxy], { REDIS_URL: proxy.url })
  }
  const proxies: TcpProxy[] = []
  const cluster = await startRedisCluster(`${root}.cache/proxied-redis`, {
    nodeTimeoutMs: 15_000,
    async announce(port) {
      const proxy = await startTcpProxy(() => `redis://127.0.0.1:${port}`)
      proxies.push(proxy)
      return Number(new URL(proxy.url).port)
    },
  })
  const server = serverOf(proxies, cluster.environment)
  return {
    ...server,
    async close() {
      await cluster.stop()
      await server.close()
    },
  }
}

const serverOf = (
  proxies: readonly TcpProxy[],
  environment: ProxiedServer['environment'],
): ProxiedServer => ({
  environment,
  silence: () => proxies.forEach((proxy) => proxy.silence()),
  close: async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))),
})
