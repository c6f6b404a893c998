import { currentTime, emailLengthMax, oneTimeCodeLengthMax, passwordLengthMax } from '@hosting/core'
import { listSessions } from '@hosting/postgres'
import { Type } from 'typebox'
import { personIdOf } from '../http/caller.ts'
import { toSessionItem, toSessionRecord } from '../records/session.ts'
import { confirmSession, endSession, signOut, verifyConfirmation } from '../use-cases/sessions.ts'
import { signIn } from '../use-cases/sign-in.ts'
import { listResponse, listById, listQuery, readPage } from './list.ts'
import { openRoute, sessionRoute } from './public-route.ts'
import { idParams, sessionResponse, strictObject, text, time, totpCode, uuid } from './schemas.ts'

/** A password to be verified. No password is longer. */
const shownPassword = Type.String({
  minLength: 1,
  maxLength: passwordLengthMax,
  description: 'The current password of the person.',
})

export const createSessionRoute = openRoute({
  operationId: 'auth.session.create',
  method: 'POST',
  path: '/auth/session',
  summary: 'Sign in',
  description:
    'Returns the session as a cookie. After several failures for an account or from an address, further sign-ins are delayed. `Idempotency-Key` is ignored.',
  auth: 'sign_in',
  body: strictObject({
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
  }),
  responses: { 201: { description: 'Signed in, with the cookie.', schema: sessionResponse } },
  problems: ['invalid_credentials', 'totp_required'],
  handle: (request, services) => signIn(services, request, request.body),
})

const getSessionRoute = sessionRoute({
  operationId: 'auth.session.get',
  method: 'GET',
  path: '/auth/session',
  summary: 'Get the session',
  description: 'The session of the cookie, with its CSRF token.',
  auth: 'session',
  responses: { 200: { description: 'The session.', schema: sessionResponse } },
  problems: [],
  handle: ({ caller }) => Promise.resolve(toSessionRecord(caller)),
})

export const deleteSessionRoute = sessionRoute({
  operationId: 'auth.session.delete',
  method: 'DELETE',
  path: '/auth/session',
  summary: 'Sign out',
  description: 'Ends the session. Its cookie is refused from the very next request.',
  auth: 'session',
  changes: true,
  responses: { 204: { description: 'Signed out; the cookie is deleted.' } },
  problems: [],
  handle: (request, services) => signOut(services, request),
})

export const confirmSessionRoute = sessionRoute({
  operationId: 'auth.session.confirm',
  method: 'POST',
  path: '/auth/session/confirm',
  summary: 'Confirm your identity',
  description:
    'Required before sensitive operations; a confirmation is valid for 5 minutes. The session gets a new cookie and CSRF token; the old ones stop working immediately. While impersonating, send your own password.',
  auth: 'session',
  changes: true,
  ignoresIdempotencyKey: true,
  body: strictObject({ password: shownPassword, totp_code: Type.Optional(totpCode) }),
  responses: { 200: { description: 'Confirmed, with a new cookie.', schema: sessionResponse } },
  problems: ['invalid_credentials', 'totp_required'],
  prepare: ({ caller, body }, services) => verifyConfirmation(services, caller, body),
  handle: (request, services) =>
    confirmSession(services, request, {
      verified: request.prepared,
      code: request.body.totp_code,
    }),
})

export const listSessionsRoute = sessionRoute({
  operationId: 'auth.sessions.list',
  method: 'GET',
  path: '/auth/sessions',
  summary: 'List your sessions',
  description: 'Active sessions only. While impersonating, your own sessions.',
  auth: 'session',
  query: strictObject(listQuery),
  responses: {
    200: {
      description: 'A page of sessions.',
      schema: listResponse(
        strictObject({
          id: uuid('The id of the session.'),
          ip: text('The client address that signed in.'),
          user_agent: text('The `User-Agent` of the browser that signed in.'),
          created_at: time('When the person signed in.'),
          last_seen_at: time('When the session was last used. It may lag by a minute.'),
          expires_at: time('When the session expires unless it is used again.'),
          current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
        }),
      ),
    },
  },
  problems: [],
  handle: ({ caller, query }, { database: { prisma } }) =>
    readPage(listById('sessions'), query, {
      read: (page) => listSessions(prisma, personIdOf(caller), { ...page, now: currentTime() }),
      toItems: (rows) => rows.map((row) => toSessionItem(row, caller.session.id)),
    }),
})

export const revokeSessionRoute = sessionRoute({
  operationId: 'auth.sessions.revoke',
  method: 'DELETE',
  path: '/auth/sessions/:id',
  summary: 'End one of your sessions',
  description: 'Takes effect from the next request, on every process.',
  auth: 'session',
  changes: true,
  params: idParams('session'),
  responses: { 204: { description: 'The session has ended.' } },
  problems: [],
  handle: (request) => endSession(request, request.params.id),
})

/** Sign-in, sign-out, step-up and the list of sessions. */
export const sessionRoutes = [
  createSessionRoute,
  getSessionRoute,
  deleteSessionRoute,
  confirmSessionRoute,
  listSessionsRoute,
  revokeSessionRoute,
]
