import type { Database } from '@hosting/postgres/database'
import { makeOwner } from './owner.ts'
import type { BenchProcess } from './processes.ts'
import type { BenchServers } from './servers.ts'

/** Creates an organization with an endpoint at each URL for all events; returns the organization's id. */
export async function subscribe(
  { database, serverSecret }: { database: Database } & Pick<BenchServers, 'serverSecret'>,
  api: BenchProcess,
  urls: readonly string[],
): Promise<string> {
  const { tenantId, tokens } = await makeOwner(database, serverSecret, {
    keys: 1,
    scopes: ['*'],
  })
  for (const url of urls) {
    const response = await fetch(`${api.url}/api/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[0]!}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url, events: ['*'] }),
    })
    if (response.status !== 201) throw new Error(`No endpoint was made: ${await response.text()}`)
  }
  return tenantId
}
