import { Cluster, type Redis } from 'ioredis'
import type { RedisConnection } from '../connections.ts'
import { keyIdOf, redisKeyPattern } from './calls.ts'

/** The version of a key's record. */
export interface KeyVersion {
  readonly keyId: string
  readonly version: number
  /** Whether the key is revoked in this version. */
  readonly revoked?: boolean
}

/** About how many keys a page has. */
const pageSize = 500

/** Reads what Redis knows of the versions of keys, from every master of a cluster. */
export async function* readKnownVersions(
  connection: RedisConnection,
): AsyncGenerator<readonly KeyVersion[]> {
  const nodes = connection instanceof Cluster ? connection.nodes('master') : [connection]
  for (const node of nodes) {
    let cursor = '0'
    do {
      const [next, names] = await node.scan(cursor, 'MATCH', redisKeyPattern, 'COUNT', pageSize)
      const known = await Promise.all(names.map((name) => readVersion(node, name)))
      yield known.filter((version) => version !== undefined)
      cursor = next
    } while (cursor !== '0')
  }
}

/** Returns `undefined` for a key that only has a change in progress, or only a budget. */
async function readVersion(node: Redis, name: string): Promise<KeyVersion | undefined> {
  const [known, revokedIn] = (await node.hmget(name, 'v', 'e')).map(Number)
  const version = Math.max(known!, revokedIn!)
  return version > 0 ? { keyId: keyIdOf(name), version, revoked: revokedIn! > 0 } : undefined
}
