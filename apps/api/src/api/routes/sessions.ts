import { currentTime } from '@hosting/core/clock'
import { notFound, validationFailed } from '@hosting/core/problems'
import { sessionCookie } from '@hosting/core/sessions'
import { listSessions, revokeOtherSessions, revokeSession } from '@hosting/postgres/sessions'
import { Type } from 'typebox'
import { personIdOf } from '../access/caller.ts'
import { isHttps } from '../access/session.ts'
import { HttpResponse } from '../response.ts'
import { recordChange, recordChanges, type Change } from '../use-cases/audit.ts'
import { change, customChange, read } from './define-route.ts'
import { toSessionItem, toSessionRecord } from '../records/session.ts'
import { confirmSession, verifyConfirmation } from '../use-cases/confirmation.ts'
import { signInByPasskey } from '../use-cases/passkey-sign-in.ts'
import { signIn } from '../use-cases/sign-in.ts'
import { listResponse, listById, listQuery, readPage } from './list.ts'
import {
  component,
  idParams,
  sessionResponse,
  strictObject,
  text,
  time,
  uuid,
  type RecordOf,
} from '../schemas/common.ts'
import { confirmationByPassword, orPasskey, signInByPassword } from '../schemas/credentials.ts'

/**
 * Returns the credentials of a body: a passkey and nothing else, or the members of a password.
 *
 * @param required - the members that a body without a passkey needs.
 * @throws Problem `validation_failed`
 */
function requireCredentials<
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

export const createSessionRoute = customChange({
  operationId: 'auth.session.create',
  method: 'POST',
  path: '/auth/session',
  summary: 'Sign in',
  description:
    'Send `email` and `password`, with `totp_code` if the person has an authenticator app, or only `passkey`, which counts as both factors. Returns the session as a cookie. After several failures for an account or from an address, further sign-ins are delayed. `Idempotency-Key` is ignored.',
  auth: 'sign_in',
  ...orPasskey(signInByPassword),
  returns: { status: 201, description: 'Signed in, with the cookie.', schema: sessionResponse },
  problems: ['invalid_credentials', 'totp_required', 'conflict'],
  async handle(request, services) {
    const credentials = requireCredentials(request.body, ['email', 'password'])
    return 'passkey' in credentials
      ? signInByPasskey(services, request, credentials.passkey)
      : signIn(services, request, credentials)
  },
})

const getSessionRoute = read({
  operationId: 'auth.session.get',
  withoutTurn: 'no records',
  path: '/auth/session',
  summary: 'Get the session',
  description: 'The session of the cookie, with its CSRF token.',
  auth: 'session',
  withoutSecondFactor: true,
  returns: { status: 200, description: 'The session.', schema: sessionResponse },
  problems: [],
  handle: ({ caller }) => Promise.resolve(toSessionRecord(caller)),
})

/** The end of a session, for the audit log. */
const endOf = (id: string): Change => ({
  action: 'session.revoke',
  target: { type: 'session', id },
})

export const deleteSessionRoute = change({
  operationId: 'auth.session.delete',
  method: 'DELETE',
  path: '/auth/session',
  summary: 'Sign out',
  description: 'Ends the session. Its cookie is refused from the very next request.',
  auth: 'session',
  withoutSecondFactor: true,
  ignoresIdempotencyKey: true,
  returns: { status: 204, description: 'Signed out; the cookie is deleted.' },
  problems: [],
  async handle(request, services) {
    const { caller, work } = request
    const { id } = caller.session
    if (await revokeSession(work.tx, personIdOf(caller), id, currentTime())) {
      await recordChange(request, endOf(id))
    }
    const cookie = sessionCookie(isHttps(services), undefined)
    return new HttpResponse(204, undefined, { 'Set-Cookie': cookie })
  },
})

export const confirmSessionRoute = change({
  operationId: 'auth.session.confirm',
  method: 'POST',
  path: '/auth/session/confirm',
  summary: 'Confirm your identity',
  description:
    'Required before sensitive operations; a confirmation is valid for 5 minutes. Send `password`, with `totp_code` if you have an authenticator app, or only `passkey`. The session gets a new cookie and CSRF token; the old ones stop working immediately. While impersonating, send your own credentials.',
  auth: 'session',
  withoutSecondFactor: true,
  ignoresIdempotencyKey: true,
  ...orPasskey(confirmationByPassword),
  returns: { status: 200, description: 'Confirmed, with a new cookie.', schema: sessionResponse },
  problems: ['invalid_credentials', 'totp_required', 'conflict'],
  prepare: async ({ caller, body }, services) =>
    verifyConfirmation(services, caller, requireCredentials(body, ['password'])),
  handle: (request, services) => confirmSession(services, request, request.prepared),
})

const sessionItem = component('UserSession', {
  id: uuid('The id of the session.'),
  ip: text('The client address that signed in.'),
  user_agent: text('The `User-Agent` of the browser that signed in.'),
  created_at: time('When the person signed in.'),
  last_seen_at: time('When the session was last used. It may lag by a minute.'),
  expires_at: time('When the session expires unless it is used again.'),
  current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
})

/** A session in the list of a person's sessions. */
export type SessionItem = RecordOf<typeof sessionItem>

export const listSessionsRoute = read({
  operationId: 'auth.sessions.list',
  path: '/auth/sessions',
  summary: 'List your sessions',
  description: 'Active sessions only. While impersonating, your own sessions.',
  auth: 'session',
  withoutSecondFactor: true,
  query: strictObject(listQuery),
  returns: {
    status: 200,
    description: 'A page of sessions.',
    schema: listResponse(sessionItem),
  },
  problems: [],
  handle: ({ caller, query }, services) =>
    readPage(
      services,
      { list: listById('sessions'), query },
      {
        read: (page) =>
          listSessions(
            services.database,
            { personId: personIdOf(caller), now: currentTime() },
            page,
          ),
        toItems: (rows) => rows.map((row) => toSessionItem(row, caller.session.id)),
      },
    ),
})

export const revokeSessionRoute = change({
  operationId: 'auth.sessions.revoke',
  method: 'DELETE',
  path: '/auth/sessions/:id',
  summary: 'End one of your sessions',
  description: 'Takes effect from the next request, on every process.',
  auth: 'session',
  withoutSecondFactor: true,
  params: idParams('session'),
  returns: { status: 204, description: 'The session has ended.' },
  problems: [],
  async handle(request) {
    const { caller, work } = request
    const { id } = request.params
    if (!(await revokeSession(work.tx, personIdOf(caller), id, currentTime()))) throw notFound()
    await recordChange(request, endOf(id))
  },
})

/** The most sessions that one request ends. */
const endedMax = 1_000

/** For the panel: a client of the API ends each session by its id. */
export const endOtherSessionsRoute = change({
  operationId: 'auth.sessions.revoke-others',
  method: 'DELETE',
  path: '/auth/sessions',
  summary: 'End your other sessions',
  description: 'Takes effect from the next request, on every process.',
  auth: 'session',
  withoutSecondFactor: true,
  returns: {
    status: 200,
    description: 'The sessions have ended.',
    schema: strictObject({
      isMore: Type.Boolean({ description: 'Whether there may be more of them.' }),
    }),
  },
  problems: [],
  async handle(request) {
    const { caller, work } = request
    const ended = await revokeOtherSessions(work.tx, personIdOf(caller), {
      exceptId: caller.session.id,
      now: currentTime(),
      limit: endedMax,
    })
    await recordChanges(
      request,
      ended.map(({ id }) => endOf(id)),
    )
    return { isMore: ended.length === endedMax }
  },
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
