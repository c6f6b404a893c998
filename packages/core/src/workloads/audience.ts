import { keyIdPattern } from '../api-keys/token.ts'
import { publicUrlOf } from '../configuration/load-config.ts'
import type { Config } from '../configuration/settings.ts'

const isKeyId = new RegExp(keyIdPattern)

/** The audience that identity tokens for a workload key must name. */
export const workloadAudienceOf = (config: Config, keyId: string): string =>
  `${publicUrlOf(config)}/workloads/${keyId}`

/**
 * Finds the key that an audience names.
 *
 * @returns the key id, or `undefined` if the audience is not that of a key of this installation.
 */
export function keyIdOfAudience(config: Config, audience: string | undefined): string | undefined {
  const id = audience?.split('/').at(-1) ?? ''
  const isAudience = isKeyId.test(id) && audience === workloadAudienceOf(config, id)
  return isAudience ? id : undefined
}
