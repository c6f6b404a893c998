import type { Database } from '@hosting/postgres'
import { makeOwner } from './owner.ts'
import type { BenchProcess } from './processes.ts'
import type { BenchServers } from './servers.ts'

/** Creates an organization with an endpoint at the URL for all events; returns the organization's id. */
export async function subscribe(
  { database, serverSecret }: { database: Database } & Pick<BenchServers, 'serverSecret'>,
  api: BenchProcess,
  url: string,
): Promise<string> {
  const { tenantId, tokens } = await makeOwner(database, serverSecret, {
    keys: 1,
    scopes: ['*'],
  })
  const response = await fetch(`${api.url}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[0]!}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: ['*'] }),
  })
  if (response.status !== 201) throw new Error(`No endpoint was made: ${await response.text()}`)
  return tenantId
}
