import {
  addressGroup,
  createDeviceCode,
  createUserCode,
  decideDeviceStart,
  deviceCodeLifetimeMs,
  devicePollIntervalMs,
  hashDeviceCode,
  hashUserCode,
  judgeClientName,
  Problem,
  validationFailed,
  type Config,
} from '@hosting/core'
import {
  createDeviceRequest,
  findDeviceStarts,
  lockDeviceStarts,
  type DeviceStarts,
} from '@hosting/postgres'
import type { Work } from '../http/work.ts'
import type { Services } from '../services.ts'

/** Who starts a device login, as far as it can be known. */
export interface DeviceStart {
  readonly clientName: string
  readonly ip: string
  readonly userAgent: string
  readonly work: Work
}

/**
 * Starts a device login. Its codes are in this answer alone.
 *
 * @throws Problem `validation_failed` for the client's name, or `rate_limited` for its address.
 */
export async function startDeviceLogin(
  { serverSecret, config }: Services,
  { clientName, ip, userAgent, work: { tx } }: DeviceStart,
) {
  const judged = judgeClientName(clientName)
  if ('fault' in judged) throw validationFailed({ pointer: '/client_name', message: judged.fault })
  const ipGroup = addressGroup(ip)
  // First without the lock: whoever floods us waits for nobody, and keeps no connection waiting.
  refuseTooMany(await findDeviceStarts(tx, ipGroup))
  const starts = await lockDeviceStarts(tx, ipGroup)
  refuseTooMany(starts)
  const deviceCode = createDeviceCode()
  const userCode = await storeWithUserCode(serverSecret, (userCodeHash) =>
    createDeviceRequest(tx, {
      deviceCodeHash: hashDeviceCode(deviceCode),
      userCodeHash,
      clientName: judged.name,
      ip,
      ipGroup,
      userAgent,
      createdAt: starts.now,
      expiresAt: new Date(starts.now.getTime() + deviceCodeLifetimeMs),
    }),
  )
  const page = devicePageOf(config)
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: deviceCodeLifetimeMs / 1_000,
    interval: devicePollIntervalMs / 1_000,
  }
}

function refuseTooMany({ earlier, now }: DeviceStarts): void {
  const waitMs = decideDeviceStart(earlier, now)
  if (waitMs !== undefined) throw tooMany(waitMs)
}

/** The 429 of a caller that may come again after so many ms. */
export const tooMany = (waitMs: number): Problem =>
  new Problem('rate_limited', { headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) } })

/** User codes are few: one that another login has is minted anew. */
async function storeWithUserCode(
  serverSecret: Buffer,
  store: (userCodeHash: Buffer) => Promise<boolean>,
): Promise<string> {
  for (let mintsLeft = mintsMax; mintsLeft > 0; mintsLeft--) {
    const userCode = createUserCode()
    if (await store(hashUserCode(serverSecret, userCode))) return userCode
  }
  throw new Error('no free user code was found')
}

const mintsMax = 3

/** Where people enter user codes. */
const devicePageOf = ({ publicUrl, port }: Config): string =>
  `${publicUrl ?? `http://localhost:${port}`}/device`
