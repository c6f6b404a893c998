/** The issuers of CI services that the service knows, by a short name. */
export const knownIssuers = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
} as const

/** The short name of an issuer. */
export type IssuerName = keyof typeof knownIssuers | 'other'

/** Names an issuer, with few different names. */
export const nameOfIssuer = (issuer: string): IssuerName =>
  (Object.keys(knownIssuers) as (keyof typeof knownIssuers)[]).find(
    (name) => knownIssuers[name] === issuer,
  ) ?? 'other'
