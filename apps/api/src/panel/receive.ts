import { currentTime } from '@hosting/core/clock'
import { Problem } from '@hosting/core/problems'
import { formBytesMax } from '@hosting/core/sessions'
import { countUnreadNotices } from '../api/for-pages.ts'
import { urlencoded, type Request, type Response } from 'express'
import { randomBytes } from 'node:crypto'
import { personIdOf } from '../api/access/caller.ts'
import { clientAddressOf } from '../api/http/serve.ts'
import { signInContextOf, toArrival, runRoute, type RouteArrival } from '../api/http/run-route.ts'
import { findSession, findSessionAgain } from '../api/access/session.ts'
import type { Services } from '../api/services.ts'
import { findPageCookie, isLiveUpdate } from './cookies.ts'
import { SubmittedForm } from './form.ts'
import { flashCookie, decryptFlashSecret } from './flash-secret.ts'
import type { PageRequest, CallInput } from './page.ts'
import { ownerNameOf, personOf } from './person-mark.ts'
import { unreadNoticesMax } from './view/context.ts'
import { createPanelAuthenticator, type PublicCaller } from '../api/access/authenticate.ts'
import { appendHeaders } from './response.ts'

/** What serving a page needs besides the page. */
export interface PanelServing {
  readonly services: Services
  /** Converts untrusted text to a path of the panel. */
  toReturnPath(text: string | undefined): string
}

/** A request with everything that rendering a page, or an error page, needs. */
export interface ReceivedRequest {
  readonly pageRequest: PageRequest
  readonly nonce: string
  /** See {@link PageContext.unreadNotices}. */
  readonly unreadNotices: number
}

/** Forms need no credentials; the largest of ours is far smaller. */
const readForm = urlencoded({ extended: false, limit: formBytesMax, parameterLimit: 2_000 })

/** Reads the query, the cookies and the caller of a request. */
export async function receive(
  { services, toReturnPath }: PanelServing,
  { req, res, form = new SubmittedForm() }: { req: Request; res: Response; form?: SubmittedForm },
): Promise<ReceivedRequest> {
  // A live update is not a use of the session: otherwise, an open page would never be signed out.
  const caller = await (isLiveUpdate(req) ? findSessionAgain : findSession)(services, req)
  const query = textsOf(req.query)
  const now = currentTime()
  const ip = clientAddressOf(services, req)
  const pageRequest: PageRequest = {
    params: req.params as Record<string, string>,
    query,
    rawQuery: /\?.*/s.exec(req.originalUrl)?.[0] ?? '',
    form,
    refused: undefined,
    caller,
    services,
    ip,
    signInContext: signInContextOf(req, ip),
    now,
    next: toReturnPath(form.text('next') ?? query['next']),
    flashSecret: findFlashSecret(services, req, { caller, now }),
    call: async (route, input) =>
      (await callRoute(services, toArrival({ req, res, ip, route }), {
        caller,
        form,
        input,
      })) as never,
  }
  const unreadNotices = caller
    ? await countUnreadNotices(services.database, personIdOf(caller), unreadNoticesMax)
    : 0
  const received = { pageRequest, nonce: randomBytes(16).toString('base64'), unreadNotices }
  res.locals['received'] = received
  return received
}

/** The flash secret of a page, for the session or its person. */
function findFlashSecret(
  { serverSecrets }: Services,
  req: Request,
  { caller, now }: Pick<PageRequest, 'caller' | 'now'>,
): string | undefined {
  const encrypted = findPageCookie(req, flashCookie)
  if (encrypted === undefined) return undefined
  const { path } = req
  const open = (owner: string | undefined) =>
    decryptFlashSecret(serverSecrets, { path, owner }, { encrypted, now })
  return caller ? (open(caller.session.id) ?? open(ownerNameOf(personOf(caller)))) : open(undefined)
}

/** Reads the form of a request. Call it before {@link receive}: a form may arrive long after its headers. */
export async function readFormOf(req: Request, res: Response): Promise<SubmittedForm> {
  if (req.method !== 'POST') return new SubmittedForm()
  await new Promise<void>((resolve, reject) => {
    readForm(req, res, (error?: unknown) => {
      if (error === undefined) resolve()
      else reject(new Problem('payload_too_large', { facts: { limit: '16 KiB' } }))
    })
  })
  return new SubmittedForm((req.body ?? {}) as Record<string, unknown>)
}

/** The first value of each query parameter. */
const textsOf = (query: Request['query']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => {
      const first = [value].flat()[0]
      return typeof first === 'string' && first !== '' ? [[name, first]] : []
    }),
  )

/** Runs an API route on behalf of whoever requested the page. Returns the response body. */
async function callRoute(
  services: Services,
  arrival: RouteArrival<PublicCaller>,
  {
    caller,
    form,
    input = {},
  }: Pick<PageRequest, 'caller' | 'form'> & { input?: CallInput | undefined },
): Promise<unknown> {
  const { headers, body } = await runRoute({
    services,
    authenticator: createPanelAuthenticator(services, {
      caller,
      csrfToken: form.text('csrf_token'),
    }),
    arrival,
    input: {
      params: input.params ?? {},
      query: definedOf(input.query),
      isForm: false,
      readBody: () => Promise.resolve(input.body && definedOf(input.body)),
      readIdempotencyKey: () => undefined,
    },
  })
  appendHeaders(arrival.res, headers)
  return body
}

const definedOf = (values: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
