import { currentTime, decideAccess, Problem, type PermissionName } from '@hosting/core'
import { sendPage, type PagePolicy } from '@hosting/pages'
import { urlencoded, type Request, type RequestHandler, type Response } from 'express'
import { randomBytes } from 'node:crypto'
import { checkAccess } from '../http/check-access.ts'
import { clientAddressOf } from '../http/client-address.ts'
import { findSession, requireCsrfToken, requireSameSite } from '../http/session.ts'
import type { Services } from '../services.ts'
import { callRoute } from './call-route.ts'
import { findCookie } from './cookies.ts'
import { Form } from './form.ts'
import { handOverCookie, openHandOver, sealHandOver } from './hand-over.ts'
import { isNotice } from './notices.ts'
import { findKeptForm, keepForm } from './kept-form.ts'
import type { Done, Page, Screen, SignedInVisit, Visit } from './page.ts'
import { isAnswerToForm, toRefused } from './refused.ts'
import { redirect, redirectVia, setCookie, setHeaders } from './response.ts'
import { renderPage } from './view/document.tsx'

/** What serving a page needs besides the page. */
export interface PanelServing {
  readonly services: Services
  /** Converts untrusted text to a path of the panel. */
  toReturnPath(text: string | undefined): string
}

/** A request with everything that rendering a page, or an error page, needs. */
export interface Arrived {
  readonly visit: Visit
  readonly nonce: string
}

/** Serves a page: GET renders it; POST runs one of its actions and redirects, or renders it again with the errors. */
export function servePage(page: Page, serving: PanelServing): RequestHandler {
  return async (req, res) => {
    Object.assign(res.locals, { operation: `panel ${page.path}`, path: page.path })
    const arrived = await arrive(page, serving, { req, res })
    const { visit } = arrived
    if (page.access !== 'anyone' && !visit.caller) {
      redirectVia('/sign-in', req, res)
      return
    }
    requireAccess(page, visit)
    if (req.method === 'POST') {
      await act(page, serving, { req, res, arrived })
      return
    }
    const refused = findKeptForm(serving.services, { req, res, visit })
    await show(page, serving, { req, res, arrived: { ...arrived, visit: { ...visit, refused } } })
  }
}

interface Exchange {
  readonly req: Request
  readonly res: Response
  readonly arrived: Arrived
}

async function show(
  page: Page,
  { services }: PanelServing,
  { req, res, arrived }: Exchange,
): Promise<void> {
  const { visit } = arrived
  // The access check has passed, so the handler gets the caller that it declares.
  const signedIn = visit as SignedInVisit
  if (page.confirmed && !signedIn.caller.session.isConfirmed) {
    redirectVia('/confirm', req, res)
    return
  }
  const screen = await page.show(signedIn)
  if (visit.handedOver !== undefined && !page.keepsHandOver) {
    setCookie(res, services, { name: handOverCookie, value: '', path: req.path, seconds: 0 })
  }
  res.statusCode = visit.refused?.status ?? 200
  send(req, res, { screen, arrived, services })
}

/** Sends a page, with the pending notice if there is one. */
export function send(
  req: Request,
  res: Response,
  {
    screen,
    arrived: { visit, nonce },
    services,
  }: { screen: Screen; arrived: Arrived; services: Services },
): void {
  const { caller, now, refused } = visit
  const waiting = findCookie(req.get('cookie'), noticeCookie)
  if (waiting !== undefined) {
    setCookie(res, services, { name: noticeCookie, value: '', path: '/', seconds: 0 })
  }
  const may = (permission: PermissionName): boolean =>
    caller !== undefined &&
    !decideAccess({ roles: caller.user.roles, key: null }, permission, 'GET')
  const page = renderPage(screen, {
    context: { url: req.originalUrl, now, csrfToken: caller?.session.csrfToken, may, refused },
    caller,
    notice: isNotice(waiting) && !refused ? waiting : undefined,
    nonce,
  })
  sendPage(res, page, policyWith(nonce))
}

/** Only the one script, which carries the nonce, may run. */
const policyWith = (nonce: string): PagePolicy => ({
  loads: [
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
  ],
  formAction: "'self'",
})

async function act(page: Page, serving: PanelServing, exchange: Exchange): Promise<void> {
  const { req, res, arrived } = exchange
  const { visit } = arrived
  const { services } = serving
  if (visit.caller) {
    const { session } = visit.caller
    requireCsrfToken(services, req, { session, shown: visit.form.text('csrf_token') })
  } else {
    requireSameSite(services, req)
  }
  const name = visit.form.text('do') ?? ''
  const actions = page.actions ?? {}
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new Problem('not_found')
  try {
    finish(exchange, serving, await action(visit as SignedInVisit))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // The session ended while the form was being submitted.
    if (error.code === 'authentication_required') {
      redirectVia('/sign-in', req, res)
      return
    }
    if (!isAnswerToForm(error)) throw error
    if (error.code === 'reauthentication_required') {
      keepForm(services, res, { action: name, path: req.path, visit })
      redirectVia('/confirm', req, res)
      return
    }
    setHeaders(res, error.headers)
    const refused = toRefused(error, { action: name, form: visit.form })
    await show(page, serving, {
      ...exchange,
      arrived: { ...arrived, visit: { ...visit, refused } },
    })
  }
}

function finish(
  { req, res, arrived: { visit } }: Exchange,
  { services }: PanelServing,
  { to, notice, handOver }: Done,
): void {
  if (visit.handedOver !== undefined) {
    setCookie(res, services, { name: handOverCookie, value: '', path: req.path, seconds: 0 })
  }
  if (notice !== undefined) {
    setCookie(res, services, { name: noticeCookie, value: notice, path: '/', seconds: 60 })
  }
  if (handOver) {
    const path = to.split('?')[0]!
    const sessionId = visit.caller?.session.id
    const given = { ...handOver, now: visit.now }
    const value = sealHandOver(services.serverSecret, { path, sessionId }, given)
    const { seconds } = handOver
    setCookie(res, services, { name: handOverCookie, value, path, seconds })
  }
  redirect(res, to)
}

const noticeCookie = 'notice'
/** Forms need no credentials; the largest of ours is far smaller. */
const formBytesMax = 16 * 2 ** 10
const readForm = urlencoded({ extended: false, limit: formBytesMax, parameterLimit: 2_000 })

/** Reads the form, the query, the cookies and the caller of a request. */
export async function arrive(
  page: Pick<Page, 'path'> | undefined,
  { services, toReturnPath }: PanelServing,
  { req, res }: { req: Request; res: Response },
): Promise<Arrived> {
  // Read before the session, since a form may arrive long after its headers.
  const form = req.method === 'POST' && page ? await formOf(req, res) : new Form()
  const caller = await findSession(services, req)
  const query = textsOf(req.query)
  const now = currentTime()
  const ip = clientAddressOf(services, req)
  const sealed = findCookie(req.get('cookie'), handOverCookie)
  const place = { path: req.path, sessionId: caller?.session.id }
  const visit: Visit = {
    params: req.params as Record<string, string>,
    query,
    form,
    refused: undefined,
    caller,
    services,
    ip,
    now,
    next: toReturnPath(form.text('next') ?? query['next']),
    handedOver:
      sealed === undefined
        ? undefined
        : openHandOver(services.serverSecrets, place, { sealed, now }),
    call: async ({ route }, input) =>
      (await callRoute(services, { req, res, ip, route }, { caller, form, input })) as never,
  }
  const arrived = { visit, nonce: randomBytes(16).toString('base64') }
  res.locals['arrived'] = arrived
  return arrived
}

async function formOf(req: Request, res: Response): Promise<Form> {
  await new Promise<void>((resolve, reject) => {
    readForm(req, res, (error?: unknown) => {
      if (error === undefined) resolve()
      else reject(new Problem('payload_too_large', { facts: { limit: '16 KiB' } }))
    })
  })
  return new Form((req.body ?? {}) as Record<string, unknown>)
}

/** The first value of each query parameter. */
const textsOf = (query: Request['query']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => {
      const first = [value].flat()[0]
      return typeof first === 'string' && first !== '' ? [[name, first]] : []
    }),
  )

/** Requires the page's own permission, besides those of its routes. @throws Problem `permission_denied` */
function requireAccess({ access }: Page, { caller }: Visit): void {
  if (access === 'anyone' || !caller) return
  const problem = checkAccess(caller, { auth: access }, 'GET')
  if (problem) throw problem
}
