import { toSessionRecord } from '../../../records/session.ts'
import { sessionRoute } from '../../public-route.ts'
import { sessionAnswer } from '../schemas.ts'

export const getSessionRoute = sessionRoute({
  operation: 'auth.session.get',
  method: 'GET',
  path: '/auth/session',
  summary: 'Get the session',
  auth: 'session',
  answers: { 200: { description: 'The session.', schema: sessionAnswer } },
  problems: [],
  handle: ({ caller }) => Promise.resolve(toSessionRecord(caller)),
})
