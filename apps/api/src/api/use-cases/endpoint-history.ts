import { listAuditEvents, type AuditEventRow } from '@hosting/postgres/audit'
import { listIncidents } from '@hosting/postgres/webhooks'
import type { Needs } from '../services.ts'

/** What changed an endpoint, for its charts. */
interface ChartedChange {
  readonly at: Date
  readonly text: string
}

/** When an endpoint was failing. */
interface ChartedIncident {
  readonly from: Date
  /** `null`: it is still failing. */
  readonly to: Date | null
}

/** What happened to an endpoint, besides its attempts. */
export interface EndpointHistory {
  /** The oldest first. */
  readonly changes: readonly ChartedChange[]
  readonly incidents: readonly ChartedIncident[]
}

/** The most audit entries and incidents that are read, the newest first. */
const readMax = 100

/** Reads the changes and incidents of an endpoint since a time. */
export async function readEndpointHistory(
  { database }: Needs<'database'>,
  { tenantId, endpointId }: { readonly tenantId: string; readonly endpointId: string },
  since: Date,
): Promise<EndpointHistory> {
  const filter = {
    tenantId,
    action: undefined,
    keyId: undefined,
    actorId: undefined,
    targetType: 'webhook',
    targetId: endpointId,
    outcome: 'success',
    since,
    until: undefined,
  }
  const newest = { beforeId: undefined, take: readMax }
  const [{ rows }, incidents] = await Promise.all([
    listAuditEvents(database, filter, newest, readMax),
    listIncidents(database.prisma, { tenantId, endpointId, ...newest }),
  ])
  return {
    changes: rows.toReversed().flatMap((row) => {
      const text = changeOf(row)
      return text === undefined ? [] : [{ at: row.occurredAt, text }]
    }),
    incidents: incidents
      .filter(({ closedAt }) => closedAt === null || closedAt >= since)
      .map(({ openedAt, closedAt }) => ({ from: openedAt, to: closedAt })),
  }
}

/** What an audit entry changed of an endpoint that may explain its attempts. */
function changeOf({ action, details }: Pick<AuditEventRow, 'action' | 'details'>) {
  if (action === 'webhook.create') return 'Created'
  if (action === 'webhook.rotate_secret') return 'Secret rotated'
  if (action !== 'webhook.update') return undefined
  const given = details as Record<string, unknown>
  // Entries of earlier releases have the new values alone.
  const after = (given['after'] ?? given) as Record<string, unknown>
  const texts = [
    ...('url' in after ? ['URL changed'] : []),
    ...('enabled' in after ? [after['enabled'] === true ? 'Enabled' : 'Disabled'] : []),
  ]
  return texts.length > 0 ? texts.join(', ') : undefined
}
