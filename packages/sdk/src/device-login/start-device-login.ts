import type { DeviceCode } from '../api-types.ts'
import type { Client } from '../client.ts'
import { tryOAuth } from '../oauth/try-oauth.ts'

/** A device login that was started. */
export interface StartedDeviceLogin extends DeviceCode {
  /** The client that polls at the OAuth endpoint; missing if the service has none. */
  readonly client_id?: string
}

/**
 * Starts a device login (RFC 8628). Show the person the code and the URL, then call `pollDeviceLogin`.
 *
 * @param clientName - the name of the program, which the person sees: 1 to 64 characters.
 * @throws ApiProblem, with the code `invalid_request` for another name.
 */
export function startDeviceLogin(
  client: Pick<Client, 'POST' | 'oauth'>,
  clientName: string,
): Promise<StartedDeviceLogin> {
  return tryOAuth<StartedDeviceLogin>(
    async () => {
      const code = await client.oauth('/device_authorization', { client_id: clientName })
      return { ...(code as DeviceCode), client_id: clientName }
    },
    () => client.POST('/auth/device/code', { body: { client_name: clientName } }),
  )
}
