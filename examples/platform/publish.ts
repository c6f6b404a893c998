import { control } from './client.ts'

export interface Site {
  readonly id: string
  readonly eventId: string // Stored with the site, in the same transaction.
  readonly tenantId: string
  readonly accountId: string
  readonly domain: string
}

/** Returns when the event is stored. A repeated call with the same event id publishes nothing. */
export async function publishSiteCreated(site: Site): Promise<void> {
  await control.publish([
    {
      id: site.eventId,
      type: 'site.created',
      tenant_id: site.tenantId,
      data: {
        object_type: 'site',
        object_id: site.id,
        account_id: site.accountId,
        primary_domain: site.domain,
      },
    },
  ])
}
