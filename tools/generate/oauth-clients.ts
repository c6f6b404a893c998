import { noticeOf } from './format.ts'
import { resultsTable } from './results-table.ts'

/** docs/generated/oauth-clients.md */
export const oauthClientsDocument =
  (): string => `${noticeOf('tools/generate/oauth-clients.ts and test/interop')}# OAuth clients

Standard OAuth libraries sign in, exchange identity tokens and revoke keys at the
[OAuth endpoints](../specification/oauth.md). They find them in the metadata of
\`https://panel.example.com\`, or you configure these addresses:

- Device authorization: \`https://panel.example.com/oauth/device_authorization\`
- Token: \`https://panel.example.com/oauth/token\`
- Revocation: \`https://panel.example.com/oauth/revoke\`

Programs for JavaScript, Python and Go show how to [sign in](../sdk.md#signing-in-with-an-oauth-library) and how to
[exchange identity tokens](../ci.md#with-an-oauth-library).

A client needs no registration and has no secret. Its \`client_id\` is a name that you choose, which the person sees
who approves the device login.

## Device login

A test signs in with each of these libraries, unmodified: a person approves the device login, the token calls the API
until it is revoked, and the library reports why a device login that is denied or expires gives no token. A program sends
the form of a step that the library has no function for.

${resultsTable('device login')}

- The library in Rust revokes over https only.
- MSAL uses names of its own instead of those of RFC 8628. Give it a \`networkClient\` that sends what is for
  \`/oauth/devicecode\` to \`/oauth/device_authorization\`, and \`grant_type=device_code\` as the grant type of RFC 8628,
  and the addresses as \`authorityMetadata\`. It reports the error in \`errorMessage\`.

## Token exchange

A CI job [exchanges its identity token](../ci.md) with each of these libraries: the token calls the API until it is
revoked, and the library reports \`invalid_grant\` for an identity token that does not meet the conditions of the key.

${resultsTable('token exchange')}
`
