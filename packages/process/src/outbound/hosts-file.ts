import type { LookupAddress } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

/** Returns the addresses of a name in the hosts file, or none if the name is not in it. */
export type HostsFile = (host: string) => readonly LookupAddress[]

/** Reads the hosts file (hosts(5)), and reads it again after it changes. */
export function createHostsFile(path = '/etc/hosts'): HostsFile {
  let version = ''
  let byName = new Map<string, LookupAddress[]>()
  return (host) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    const present = stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : ''
    if (present !== version) {
      byName = stats ? parseHosts(readFileSync(path, 'utf8')) : new Map()
      version = present
    }
    return byName.get(host.toLowerCase().replace(/\.$/, '')) ?? []
  }
}

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const byName = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      byName.set(key, [...(byName.get(key) ?? []), { address, family }])
    }
  }
  return byName
}
