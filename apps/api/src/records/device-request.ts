import { statusOfDeviceRequest } from '@hosting/core'
import type { DeviceRequestRow } from '@hosting/postgres'

/** A device login as its approver is shown it (docs/specification/device-login.md#approval). */
export const toDeviceRequestRecord = (row: DeviceRequestRow) => ({
  client_name: row.clientName,
  ip: row.ip,
  user_agent: row.userAgent,
  created_at: row.createdAt,
  expires_at: row.expiresAt,
  status: statusOfDeviceRequest(row, row.now),
})
