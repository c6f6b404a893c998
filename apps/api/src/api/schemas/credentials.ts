import {
  emailLengthMax,
  oneTimeCodeLengthMax,
  passwordLengthMax,
  returnPathLengthMax,
  transportLengthMax,
  transportsMax,
} from '@hosting/core/sessions'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { Type, type Static } from 'typebox'
import { component, described, nullable, strictObject, totpCode } from './common.ts'

/** The format of browsers may get further members, so they are accepted and ignored. */
const openObject = <T extends Type.TProperties>(properties: T) => Type.Object(properties)

/** Bytes in base64url; with padding and in base64, too, because some password managers send them so. */
const bytes = (description: string) => Type.String({ minLength: 1, description })

const credentialMembers = {
  id: bytes('The id of the credential, in base64url.'),
  rawId: bytes('The same as `id`.'),
  type: Type.Unsafe<'public-key'>({
    type: 'string',
    const: 'public-key',
    description: 'Always `public-key`.',
  }),
}

/** What `navigator.credentials.get` returns, as JSON. */
const authenticationResponse = Type.Unsafe<AuthenticationResponseJSON>(
  openObject({
    ...credentialMembers,
    response: described(
      openObject({
        clientDataJSON: bytes('What the browser signed, with the challenge, in base64url.'),
        authenticatorData: bytes('The data of the authenticator, in base64url.'),
        signature: bytes('The signature, in base64url.'),
        userHandle: Type.Optional(
          nullable(Type.String({ description: 'The handle of the person, in base64url.' })),
        ),
      }),
      'The response of the authenticator.',
    ),
  }),
)

/** What `navigator.credentials.create` returns, as JSON. */
export const registrationResponse = Type.Unsafe<RegistrationResponseJSON>(
  openObject({
    ...credentialMembers,
    response: described(
      openObject({
        clientDataJSON: bytes('What the browser signed, with the challenge, in base64url.'),
        attestationObject: bytes('The new credential, in base64url.'),
        transports: Type.Optional(
          nullable(
            Type.Array(Type.String({ maxLength: transportLengthMax }), {
              maxItems: transportsMax,
              description: 'How the browser reaches the authenticator.',
            }),
          ),
        ),
      }),
      'The response of the authenticator.',
    ),
  }),
)

const passkeyOnly = component('ByPasskey', {
  passkey: described(
    authenticationResponse,
    'The `AuthenticationResponseJSON` of the browser: `toJSON()` of the credential that it returned for the options of `POST /auth/session/passkey-options`.',
  ),
})

/** A password to be verified. No password is longer. */
const shownPassword = Type.String({
  minLength: 1,
  maxLength: passwordLengthMax,
  description: 'The current password of the person.',
})

/** A sign-in with a password. */
export const signInByPassword = component('SignInByPassword', {
  email: Type.String({
    minLength: 1,
    maxLength: emailLengthMax,
    description: 'The email address of the person, in any case.',
  }),
  password: shownPassword,
  totp_code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: oneTimeCodeLengthMax,
      description:
        'The current code of the authenticator app, or a recovery code. Required if the person has an authenticator.',
    }),
  ),
})

/** The credentials of a sign-in with a password. */
export type PasswordCredentials = Static<typeof signInByPassword>

/** A confirmation with a password. */
export const confirmationByPassword = component('ConfirmationByPassword', {
  password: shownPassword,
  totp_code: Type.Optional(totpCode),
})

/** The credentials of a step-up. */
export type ConfirmationCredentials =
  | Static<typeof confirmationByPassword>
  | Static<typeof passkeyOnly>

/** A body with the members of a password, or with a passkey and nothing else: `requireCredentials` requires one. */
export const orPasskey = <Members extends Type.TProperties>(byPassword: Type.TObject<Members>) => ({
  body: strictObject(
    Type.Partial(Type.Object({ ...byPassword.properties, ...passkeyOnly.properties })).properties,
  ),
  documentedBody: Type.Union([byPassword, passkeyOnly]),
})

export const signInLinkBody = Type.Optional(
  strictObject({
    return_to: Type.Optional(
      Type.String({
        maxLength: returnPathLengthMax,
        default: '/',
        description:
          'The path of the panel that the link leads to. It begins with exactly one `/` and contains no `\\`, control character or outer space.',
      }),
    ),
    confirmed: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether you have just confirmed who the person is. It counts as a confirmation in the panel.',
      }),
    ),
  }),
)

/** Where a sign-in link leads to, and whether it confirms the identity of the person. */
export type SignInLinkFields = Static<typeof signInLinkBody>
