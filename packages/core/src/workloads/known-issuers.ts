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
