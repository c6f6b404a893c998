import { signInLinkMs } from '@hosting/core/sessions'
import { change } from '../routes/define-route.ts'
import { idParams, strictObject, text, time } from '../schemas/common.ts'
import { signInLinkBody } from '../schemas/sign-in-link.ts'
import { createSignInLink } from '../use-cases/sign-in-links.ts'

const lifetime = `${signInLinkMs / 1_000} seconds`

export const createSignInLinkRoute = change({
  operationId: 'internal.users.sign-in-links',
  method: 'POST',
  path: '/users/:id/sign-in-links',
  summary: 'Create a link that signs a person in to the panel',
  description: `The link works once, for ${lifetime}. Redirect the browser of the person to it, and do not send it in any other way.`,
  auth: 'service',
  params: idParams('user'),
  body: signInLinkBody,
  returns: {
    status: 201,
    description: 'Created.',
    schema: strictObject({
      url: text('The link, with its token.'),
      expires_at: time(`When the link expires: ${lifetime} after its creation.`),
    }),
  },
  problems: ['conflict'],
  handle: (request, services) => createSignInLink(services, request),
})
