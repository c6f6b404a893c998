import { keyIdPattern } from '../api-keys/token.ts'
import { publicUrlOf } from '../configuration/load-config.ts'
import type { Config } from '../configuration/settings.ts'

const isKeyId = new RegExp(keyIdPattern)

/** The audience that identity tokens for a workload key must name: the chosen one, or one that contains its id. */
export const workloadAudienceOf = (
  config: Config,
  { id, chosen }: { id: string; chosen: string | null },
): string => chosen ?? defaultAudienceOf(config, id)

const defaultAudienceOf = (config: Config, keyId: string): string =>
  `${publicUrlOf(config)}/workloads/${keyId}`

/** The id of a key in an audience, or `undefined` if the audience is not one that contains the id of a key. */
export function keyIdOfAudience(config: Config, audience: string): string | undefined {
  const id = audience.split('/').at(-1)!
  return isKeyId.test(id) && audience === defaultAudienceOf(config, id) ? id : undefined
}
