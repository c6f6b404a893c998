import { issuerLengthMax } from './limits.ts'
import { keyIdPattern } from '../api-keys/token.ts'
import { publicUrlOf } from '../configuration/load-config.ts'
import type { Config } from '../configuration/settings.ts'

/**
 * Checks the URL of an issuer (OpenID Connect Discovery 1.0, section 2).
 *
 * @param options - `allowsHttp`: whether the installation allows `http:`.
 * @returns why it is refused, or `undefined` if it is allowed.
 */
export function checkIssuer(
  text: string,
  { allowsHttp }: { allowsHttp: boolean },
): string | undefined {
  if (text.length > issuerLengthMax) return `It must have at most ${issuerLengthMax} characters.`
  // URL drops or replaces them, but the issuer of a token is compared as it is.
  if (/[\s\p{C}\\]/u.test(text))
    return 'It must not contain white space, control characters or backslashes.'
  const url = URL.canParse(text) ? new URL(text) : undefined
  const schemes = allowsHttp ? ['https:', 'http:'] : ['https:']
  if (!url || !schemes.includes(url.protocol) || !/^https?:\/\/[^/]/.test(text)) {
    return allowsHttp ? 'It must be an https or http URL.' : 'It must be an https URL.'
  }
  if (url.username !== '' || url.password !== '') return 'It must not contain credentials.'
  if (text.includes('?') || text.includes('#')) return 'It must not have a query or a fragment.'
  return undefined
}

/**
 * The URL of an issuer's configuration (OpenID Connect Discovery 1.0, section 4).
 *
 * @param issuer - a URL that {@link checkIssuer} allows.
 */
export const configurationUrlOf = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

/** The issuers of CI services that the service knows, by a short name. */
export const knownIssuers = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
} as const

/** The short name of an issuer. */
export type IssuerName = keyof typeof knownIssuers | 'other'

/** The hosts of the issuers, in every spelling that leads there. GitHub also has one for each enterprise. */
const hosts: readonly (readonly [RegExp, IssuerName])[] = [
  [/^token\.actions\.(githubusercontent|[^.]+\.ghe)\.com\.?$/, 'github'],
  [/^gitlab\.com\.?$/, 'gitlab'],
]

/**
 * Names an issuer, with few different names. Issuers below the host of a CI service have its name: GitHub gives the
 * organizations of an enterprise an issuer with a path.
 */
export function nameOfIssuer(issuer: string): IssuerName {
  const host = URL.canParse(issuer) ? new URL(issuer).hostname : ''
  return hosts.find(([pattern]) => pattern.test(host))?.[1] ?? 'other'
}

/** Whether each identity token of an issuer is meant for one exchange. Others are shared by processes, as in a pod. */
export const isSingleUseIssuer = (issuer: string): boolean => nameOfIssuer(issuer) !== 'other'

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
