import * as parse from './parsers.ts'
import { optional } from './setting.ts'

/** The settings of the sign-in by an identity provider (docs/specification/sign-in.md#identity-provider). */
export const identityProviderSettings = {
  oidcIssuer: optional({
    variable: 'OIDC_ISSUER',
    readBy: 'api',
    namesHost: true,
    summary:
      'The issuer of an OpenID Connect provider with which people can sign in, in addition to the password: `https://id.example.com`. `http:` is accepted on loopback only.',
    parse: parse.issuer,
    needs: 'OIDC_CLIENT_ID',
    unset: 'no sign-in with an identity provider',
  }),
  oidcClientId: optional({
    variable: 'OIDC_CLIENT_ID',
    readBy: 'api',
    summary:
      'The client id of this service at the provider. Register `<PUBLIC_URL>/sign-in/oidc/callback` as its redirect URI.',
    parse: (text: string) => text,
    unset: 'required with `OIDC_ISSUER`',
  }),
  oidcClientSecret: optional({
    variable: 'OIDC_CLIENT_SECRET',
    readBy: 'api',
    summary: 'The client secret of this service at the provider.',
    parse: parse.secret((text: string) => text),
    unset: 'a public client',
  }),
  oidcUserClaim: optional({
    variable: 'OIDC_USER_CLAIM',
    readBy: 'api',
    summary:
      "The claim that contains the directory's user id. If set, people are found only by this claim.",
    parse: (text: string) => text,
    unset: 'people are found by their verified email address',
  }),
}
