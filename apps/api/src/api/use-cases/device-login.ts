import { publicUrlOf, type Config } from '@hosting/core/configuration'
import {
  createDeviceCode,
  createUserCode,
  decideDeviceStart,
  deviceCodeLifetimeMs,
  devicePollIntervalMs,
  hashDeviceCode,
  hashUserCode,
  readClientName,
} from '@hosting/core/device-login'
import { addressGroup } from '@hosting/core/network'
import { rateLimited, validationFailed } from '@hosting/core/problems'
import type { Scope } from '@hosting/core/scopes'
import {
  createDeviceLogin,
  findDeviceStarts,
  lockDeviceStarts,
  type DeviceStarts,
} from '@hosting/postgres/device-login'
import type { Work } from '../work.ts'
import type { Needs } from '../services.ts'

/** The client that starts a device login. */
export interface DeviceStart {
  readonly clientName: string
  /** The client that alone can poll. Default: any client that has the device code. */
  readonly clientId?: string
  /** The scopes to which the client limits the key. Default: the decision of the person alone limits it. */
  readonly requestedScopes?: readonly Scope[] | null
  readonly ip: string
  readonly userAgent: string
  readonly work: Work
}

/**
 * Starts a device login. Only this response holds its codes.
 *
 * @throws Problem `validation_failed` for the client's name, or `rate_limited` for its address.
 */
export async function startDeviceLogin(
  { serverSecret, config }: Needs<'config' | 'serverSecret'>,
  { clientName, clientId, requestedScopes = null, ip, userAgent, work: { tx } }: DeviceStart,
) {
  const parsed = readClientName(clientName)
  if ('error' in parsed) throw validationFailed({ pointer: '/client_name', message: parsed.error })
  const group = addressGroup(ip)
  // First checked without the lock, so that a flood of requests does not occupy connections.
  requireFewStarts(await findDeviceStarts(tx, group))
  const starts = await lockDeviceStarts(tx, group)
  requireFewStarts(starts)
  const deviceCode = createDeviceCode()
  const userCode = await storeWithUserCode(serverSecret, (userCodeHash) =>
    createDeviceLogin(tx, {
      deviceCodeHash: hashDeviceCode(deviceCode),
      userCodeHash,
      clientName: parsed.name,
      clientId: clientId ?? null,
      requestedScopes: requestedScopes ?? [],
      ip,
      addressGroup: group,
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

function requireFewStarts({ earlier, now }: DeviceStarts): void {
  const waitMs = decideDeviceStart(earlier, now)
  if (waitMs !== undefined) throw rateLimited(waitMs)
}

/** User codes are short. If another login has the same code, tries another one. */
async function storeWithUserCode(
  serverSecret: Buffer,
  store: (userCodeHash: Buffer) => Promise<boolean>,
): Promise<string> {
  for (let triesLeft = userCodeTriesMax; triesLeft > 0; triesLeft--) {
    const userCode = createUserCode()
    if (await store(hashUserCode(serverSecret, userCode))) return userCode
  }
  throw new Error('no free user code was found')
}

const userCodeTriesMax = 3

/** The page where people enter user codes. */
const devicePageOf = (config: Config): string => `${publicUrlOf(config)}/device`
