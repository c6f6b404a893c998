import { returnPathLengthMax } from '@hosting/core/sessions'
import { Type } from 'typebox'
import { change } from '../http/define-route.ts'
import { idParams, strictObject, text, time } from '../routes/schemas.ts'
import { createSignInLink } from '../use-cases/sign-in-links.ts'

export const createSignInLinkRoute = change({
  operationId: 'internal.users.sign-in-links',
  method: 'POST',
  path: '/users/:id/sign-in-links',
  summary: 'Create a link that signs a person in to the panel',
  description:
    'The link works once, for 60 seconds. Redirect the browser of the person to it, and do not send it in any other way.',
  auth: 'service',
  params: idParams('user'),
  body: Type.Optional(
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
  ),
  returns: {
    status: 201,
    description: 'Created.',
    schema: strictObject({
      url: text('The link, with its token.'),
      expires_at: time('When the link expires: 60 seconds after its creation.'),
    }),
  },
  problems: ['conflict'],
  handle: (request, services) => createSignInLink(services, request),
})
