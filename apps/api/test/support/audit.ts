import type { TestApi } from '../../../../test/support/api.ts'

/** The audit rows of an organization, oldest first, as far as tests of sessions read them. */
export async function auditEntriesOf(api: TestApi, tenantId: string) {
  const rows = await api.database.prisma.auditEvent.findMany({
    where: { tenantId },
    orderBy: { id: 'asc' },
  })
  return rows.map(({ action, outcome, reason, actorType, actorId, targetId, details }) => ({
    action,
    outcome,
    reason,
    actorType,
    actorId,
    targetId,
    details,
  }))
}

/** Their actions, with the reason of a refusal. */
export const actionsOf = async (api: TestApi, tenantId: string): Promise<string[]> =>
  (await auditEntriesOf(api, tenantId)).map(({ action, reason }) =>
    reason === null ? action : `${action} ${reason}`,
  )
