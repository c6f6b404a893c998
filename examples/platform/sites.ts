import { randomUUID } from 'node:crypto'
import { publishSiteCreated, type Site } from './publish.ts'

const sites: Site[] = []

/** The sites of an account. */
export const sitesOf = (accountId: string): readonly Site[] =>
  sites.filter((site) => site.accountId === accountId)

/** Creates a site. A real platform stores it, and repeats a publish that failed with the same event id. */
export async function createSite(
  owner: Pick<Site, 'tenantId' | 'accountId'>,
  domain: string,
): Promise<Site> {
  const site = { id: randomUUID(), eventId: randomUUID(), ...owner, domain }
  sites.push(site)
  await publishSiteCreated(site)
  return site
}
