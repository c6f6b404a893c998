import { currentTime, decideAccess, Problem, type PermissionName } from '@hosting/core'
import { sendPage, type PagePolicy } from '@hosting/html'
import { countUnreadNotices } from '@hosting/postgres'
import { urlencoded, type Request, type RequestHandler, type Response } from 'express'
import { randomBytes } from 'node:crypto'
import { personIdOf } from '../http/caller.ts'
import { checkAccess } from '../http/check-access.ts'
import { clientAddressOf } from '../http/client-address.ts'
import { signInContextOf } from '../http/run-route.ts'
import { findSession, requireCsrfToken, requireSameSite } from '../http/session.ts'
import type { Services } from '../services.ts'
import { callRoute } from './call-route.ts'
import { findCookie } from './cookies.ts'
import { Form } from './form.ts'
import { flashCookie, openFlashSecret, sealFlashSecret } from './flash-secret.ts'
import { isNotice } from './notices.ts'
import { findSavedForm, saveForm } from './saved-form.ts'
import type { Redirect, Page, View, SignedInRequest, PageRequest } from './page.ts'
import { isFormError, toRefused } from './refused.ts'
import { redirect, redirectVia, setCookie, setHeaders } from './response.ts'
import { unreadNoticesMax } from './view/context.ts'
import { renderPage } from './view/document.tsx'

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

/** Serves a page: GET renders it; POST runs one of its actions and redirects, or renders it again with the errors. */
export function servePage(page: Page, serving: PanelServing): RequestHandler {
  return async (req, res) => {
    Object.assign(res.locals, { operation: `panel ${page.path}`, path: page.path })
    const received = await receive(page, serving, { req, res })
    const { pageRequest } = received
    if (page.access !== 'anyone' && !pageRequest.caller) {
      redirectVia('/sign-in', req, res)
      return
    }
    requireAccess(page, pageRequest)
    if (req.method === 'POST') {
      await runAction(page, serving, { req, res, received })
      return
    }
    const url = withoutEmptyParameters(req.originalUrl)
    if (url !== req.originalUrl) {
      redirect(res, url)
      return
    }
    const refused = findSavedForm(serving.services, { req, res, pageRequest })
    await show(page, serving, {
      req,
      res,
      received: { ...received, pageRequest: { ...pageRequest, refused } },
    })
  }
}

/** Browsers submit empty filters too. Without them, URLs stay short. */
function withoutEmptyParameters(url: string): string {
  const start = url.indexOf('?')
  if (start < 0) return url
  const parts = url.slice(start + 1).split('&')
  const set = parts.filter((part) => part !== '' && !/^[^=]*=$/.test(part))
  if (set.length === parts.length) return url
  return [url.slice(0, start), ...(set.length > 0 ? [set.join('&')] : [])].join('?')
}

interface Exchange {
  readonly req: Request
  readonly res: Response
  readonly received: ReceivedRequest
}

async function show(
  page: Page,
  serving: PanelServing,
  { req, res, received }: Exchange,
): Promise<void> {
  const { services } = serving
  const { pageRequest } = received
  // The access check has passed, so the handler gets the caller that it declares.
  const signedIn = pageRequest as SignedInRequest
  if (page.confirmed && !signedIn.caller.session.isConfirmed) {
    redirectVia('/confirm', req, res)
    return
  }
  const view = await page.show(signedIn)
  if ('to' in view) {
    redirectAfter({ req, res, received }, serving, view)
    return
  }
  if (pageRequest.flashSecret !== undefined && !page.keepsFlashSecret) {
    setCookie(res, services, { name: flashCookie, value: '', path: req.path, seconds: 0 })
  }
  res.statusCode = pageRequest.refused?.status ?? view.status ?? 200
  send(req, res, { view, received, services })
}

/** Sends a page, with the pending notice if there is one. */
export function send(
  req: Request,
  res: Response,
  {
    view,
    received: { pageRequest, nonce, unreadNotices },
    services,
  }: { view: View; received: ReceivedRequest; services: Services },
): void {
  const { caller, now, refused } = pageRequest
  const waiting = findCookie(req.get('cookie'), noticeCookie)
  if (waiting !== undefined) {
    setCookie(res, services, { name: noticeCookie, value: '', path: '/', seconds: 0 })
  }
  const may = (permission: PermissionName): boolean =>
    caller !== undefined &&
    !decideAccess({ roles: caller.user.roles, key: null }, permission, 'GET')
  const url = req.originalUrl
  const page = renderPage(view, {
    context: {
      url,
      now,
      brand: services.brand,
      csrfToken: caller?.session.csrfToken,
      may,
      unreadNotices,
      refused,
    },
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

async function runAction(page: Page, serving: PanelServing, exchange: Exchange): Promise<void> {
  const { req, res, received } = exchange
  const { pageRequest } = received
  const { services } = serving
  if (pageRequest.caller) {
    const { session } = pageRequest.caller
    requireCsrfToken(services, req, { session, shown: pageRequest.form.text('csrf_token') })
  } else {
    requireSameSite(services, req)
  }
  const actions = page.actions ?? {}
  const name = nameOfAction(Object.keys(actions), pageRequest.form)
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new Problem('not_found')
  try {
    redirectAfter(exchange, serving, await action(pageRequest as SignedInRequest))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // The session ended while the form was being submitted.
    if (error.code === 'authentication_required') {
      redirectVia('/sign-in', req, res)
      return
    }
    if (!isFormError(error)) throw error
    if (error.code === 'reauthentication_required') {
      saveForm(services, res, { action: name, path: req.path, pageRequest })
      redirectVia('/confirm', req, res)
      return
    }
    setHeaders(res, error.headers)
    const refused = toRefused(error, { action: name, form: pageRequest.form })
    const saved = { action: name, path: req.path, pageRequest, rejected: refused }
    // A form that does not fit into a cookie is rendered here.
    if (page.redirectsRejected && saveForm(services, res, saved)) {
      redirect(res, req.originalUrl)
      return
    }
    await show(page, serving, {
      ...exchange,
      received: { ...received, pageRequest: { ...pageRequest, refused } },
    })
  }
}

/** The action that a form names. A form without the field means the only action of its page. */
function nameOfAction([only = '', ...others]: readonly string[], form: Form): string {
  const isNamed = form.all('do').length > 0
  return isNamed || others.length > 0 ? (form.text('do') ?? '') : only
}

function redirectAfter(
  { req, res, received: { pageRequest } }: Exchange,
  { services }: PanelServing,
  { to, notice, flashSecret, headers = {} }: Redirect,
): void {
  setHeaders(res, headers)
  if (pageRequest.flashSecret !== undefined) {
    setCookie(res, services, { name: flashCookie, value: '', path: req.path, seconds: 0 })
  }
  if (notice !== undefined) {
    setCookie(res, services, { name: noticeCookie, value: notice, path: '/', seconds: 60 })
  }
  if (flashSecret) {
    const path = flashSecret.path ?? to.split('?')[0]!
    const sessionId = pageRequest.caller?.session.id
    const given = { ...flashSecret, now: pageRequest.now }
    const value = sealFlashSecret(services.serverSecret, { path, sessionId }, given)
    const { seconds } = flashSecret
    setCookie(res, services, { name: flashCookie, value, path, seconds })
  }
  redirect(res, to)
}

const noticeCookie = 'notice'
/** Forms need no credentials; the largest of ours is far smaller. */
const formBytesMax = 16 * 2 ** 10
const readForm = urlencoded({ extended: false, limit: formBytesMax, parameterLimit: 2_000 })

/** Reads the form, the query, the cookies and the caller of a request. */
export async function receive(
  page: Pick<Page, 'path'> | undefined,
  { services, toReturnPath }: PanelServing,
  { req, res }: { req: Request; res: Response },
): Promise<ReceivedRequest> {
  // Read before the session, since a form may arrive long after its headers.
  const form = req.method === 'POST' && page ? await formOf(req, res) : new Form()
  const caller = await findSession(services, req)
  const query = textsOf(req.query)
  const now = currentTime()
  const ip = clientAddressOf(services, req)
  const sealed = findCookie(req.get('cookie'), flashCookie)
  const target = { path: req.path, sessionId: caller?.session.id }
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
    flashSecret:
      sealed === undefined
        ? undefined
        : openFlashSecret(services.serverSecrets, target, { sealed, now }),
    call: async (route, input) =>
      (await callRoute(services, { req, res, ip, route }, { caller, form, input })) as never,
  }
  const unreadNotices = caller
    ? await countUnreadNotices(services.database, personIdOf(caller), unreadNoticesMax)
    : 0
  const received = { pageRequest, nonce: randomBytes(16).toString('base64'), unreadNotices }
  res.locals['received'] = received
  return received
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
function requireAccess({ access }: Page, { caller }: PageRequest): void {
  if (access === 'anyone' || !caller) return
  const problem = checkAccess(caller, { auth: access }, 'GET')
  if (problem) throw problem
}
