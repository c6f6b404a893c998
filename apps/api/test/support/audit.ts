import type { TestApi } from '../../../../test/support/api.ts'

/** The actions of changes of the directory, with which tests make their organizations and people. */
export const isOfDirectory = (action: string): boolean => /^(tenant|account|user)\./.test(action)

/** The audit rows of an organization, oldest first, as far as tests of sessions read them; none of the directory. */
export const auditEntriesOf = async (api: TestApi, tenantId: string) =>
  (await allAuditEntriesOf(api, tenantId)).filter(({ action }) => !isOfDirectory(action))

/** Like {@link auditEntriesOf}, with those of the directory. */
export async function allAuditEntriesOf(api: TestApi, tenantId: string) {
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
