import { returnPathLengthMax } from '@hosting/core/sessions'
import { Type, type Static } from 'typebox'
import { strictObject } from './common.ts'

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
