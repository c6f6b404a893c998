import { statusOfDeviceLogin } from '@hosting/core/device-login'
import type { DeviceLoginRow } from '@hosting/postgres/device-login'

/** A device login as its approver sees it. */
export const toDeviceLoginRecord = (row: DeviceLoginRow) => ({
  client_name: row.clientName,
  ip: row.ip,
  user_agent: row.userAgent,
  created_at: row.createdAt,
  expires_at: row.expiresAt,
  status: statusOfDeviceLogin(row, row.now),
  ...(row.requestedScopes.length > 0 && { scopes: row.requestedScopes }),
})
