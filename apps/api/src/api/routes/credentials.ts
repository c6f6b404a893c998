import { validationFailed } from '@hosting/core/problems'

/**
 * Returns the credentials of a body: a passkey and nothing else, or the members of a password.
 *
 * @param required - the members that a body without a passkey needs.
 * @throws Problem `validation_failed`
 */
export function requireCredentials<
  Body extends { readonly passkey?: unknown },
  Member extends Exclude<keyof Body & string, 'passkey'>,
>(
  body: Body,
  required: readonly Member[],
):
  | { readonly passkey: NonNullable<Body['passkey']> }
  | (Omit<Body, 'passkey'> & Required<Pick<Body, Member>>) {
  if (body.passkey === undefined) {
    const missing = required.filter((member) => body[member] === undefined)
    if (missing.length === 0) return body as Body & Required<Pick<Body, Member>>
    throw validationFailed(
      ...missing.map((member) => ({ pointer: `/${member}`, message: 'is required' })),
    )
  }
  const others = Object.keys(body).filter((member) => member !== 'passkey')
  if (others.length === 0) return { passkey: body.passkey as NonNullable<Body['passkey']> }
  throw validationFailed(
    ...others.map((member) => ({
      pointer: `/${member}`,
      message: 'must not be sent together with a passkey',
    })),
  )
}
