// Loaded before a measured process: its lookups ask the name server of BENCH_NAME_SERVER.
import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

const nameServer = process.env['BENCH_NAME_SERVER']!

dns.Resolver = class extends dns.Resolver {
  constructor(...options: ConstructorParameters<typeof dns.Resolver>) {
    super(...options)
    this.setServers([nameServer])
  }
}
syncBuiltinESMExports()
