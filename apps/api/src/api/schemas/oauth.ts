import { Type } from 'typebox'
import { keyRecord } from './api-key.ts'
import { count, described, strictObject, tenantMembers, text, userRecord } from './common.ts'

/** The codes of a device login. */
export const deviceCodes = strictObject({
  device_code: text('The secret with which the client polls. Do not show it to the person.'),
  user_code: text('The short code that the person enters or compares, `XXXX-XXXX`.'),
  verification_uri: text('The page of the panel on which the person enters the code.'),
  verification_uri_complete: text('The same page with the code filled in, for a link.'),
  expires_in: count('The lifetime of the codes, in seconds.'),
  interval: count('The minimum time between two polls, in seconds.'),
})

/** Whose key a device login created. */
export const deviceKey = {
  key: described(keyRecord, 'The new personal key.'),
  tenant: described(
    strictObject({ slug: tenantMembers.slug, name: tenantMembers.name }),
    'The organization of the key.',
  ),
  user: described(userRecord, 'The person who approved, as whom the key acts.'),
}

const tokenMembers = {
  access_token: text('The token, in the format of API keys. It is returned only once.'),
  token_type: text('`Bearer`.'),
  expires_in: Type.Integer({ description: 'How long the token is valid, in seconds.' }),
  scope: text('The scopes of the key, separated by spaces.'),
}

/** The token of a workload key. */
export const exchangedToken = strictObject({
  ...tokenMembers,
  issued_token_type: text('`urn:ietf:params:oauth:token-type:access_token`.'),
})

/** The token of a device login. */
export const deviceToken = strictObject({ ...tokenMembers, ...deviceKey })
