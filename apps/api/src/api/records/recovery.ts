import type { RecoveryRow } from '@hosting/postgres/webhooks'

/** A recovery as the API returns it. */
export const toRecoveryRecord = ({ id, status, total, done }: RecoveryRow) => ({
  id,
  status,
  total,
  done,
})
