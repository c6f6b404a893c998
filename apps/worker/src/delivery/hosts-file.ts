import type { LookupAddress } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

/** Gives the addresses that the hosts file has for a name; none if it does not have the name. */
export type HostsFile = (host: string) => readonly LookupAddress[]

/** Reads the hosts file (hosts(5)), and reads it again whenever it has changed. */
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
