import type { Request, RequestHandler, Response } from 'express'
import { readerOf } from '../api/access/caller.ts'
import { checkAccess, checkSecondFactor } from '../api/access/check-access.ts'
import { answerInTime } from '../api/http/answer-in-time.ts'
import type { SubmittedForm } from './form.ts'
import { takeDraft } from './form-draft.ts'
import type { Page, PageRequest, SignedInRequest } from './page.ts'
import { readFormOf, receive, type PanelServing, type ReceivedRequest } from './receive.ts'
import { redirect, redirectVia } from './response.ts'
import {
  clearFlashSecret,
  redirectAfter,
  redirectToConfirm,
  redirectToSignIn,
  runAction,
} from './run-action.ts'
import { send } from './send.ts'

/** Serves a page: GET renders it; POST runs one of its actions and redirects. */
export function servePage(page: Page, serving: PanelServing): RequestHandler {
  return async (req, res) => {
    Object.assign(res.locals, { operation: `panel ${page.path}`, path: page.path })
    const form = await readFormOf(req, res)
    await answerInTime({ log: serving.services.log, req }, () =>
      respond(page, serving, { req, res, form }),
    )
  }
}

async function respond(
  page: Page,
  serving: PanelServing,
  { req, res, form }: { req: Request; res: Response; form: SubmittedForm },
): Promise<void> {
  const received = await receive(serving, { req, res, form })
  const { pageRequest } = received
  const exchange = { req, res, pageRequest }
  if (page.access !== 'anyone' && !pageRequest.caller) {
    await redirectToSignIn(page, serving, exchange)
    return
  }
  const { caller } = pageRequest
  if (page.access !== 'anyone' && caller && checkSecondFactor(caller.session, page)) {
    if (caller.session.missingSecondFactor === 'none') redirect(res, '/security')
    else await redirectToConfirm(page, exchange)
    return
  }
  requireAccess(page, pageRequest)
  if (req.method === 'POST') {
    await runAction(page, exchange)
    return
  }
  const url = withoutEmptyParameters(req.originalUrl)
  if (url === req.originalUrl) await show(page, serving, { req, res, received })
  else redirect(res, url)
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

async function show(
  page: Page,
  { services }: PanelServing,
  { req, res, received }: { req: Request; res: Response; received: ReceivedRequest },
): Promise<void> {
  // The access check has passed, so the handler gets the caller that it declares.
  const signedIn = received.pageRequest as SignedInRequest
  if (page.confirmed && !signedIn.caller.session.isConfirmed) {
    redirectVia('/confirm', req, res)
    return
  }
  const refused = await takeDraft(page, { req, res, pageRequest: signedIn })
  const pageRequest = { ...signedIn, refused }
  const read = () => page.show(pageRequest)
  const view = await (pageRequest.caller
    ? services.readTurns.run(readerOf(pageRequest.caller), read)
    : read())
  if ('to' in view) {
    redirectAfter({ req, res, pageRequest }, view)
    return
  }
  if (pageRequest.flashSecret !== undefined && !page.keepsFlashSecret) {
    clearFlashSecret(services, req, res)
  }
  res.statusCode = view.status ?? 200
  send(req, res, { view, received: { ...received, pageRequest }, services })
}

/** Requires the page's own permission, besides those of its routes. @throws Problem `permission_denied` */
function requireAccess(
  { access, withoutSecondFactor = false }: Page,
  { caller }: PageRequest,
): void {
  if (access === 'anyone' || !caller) return
  const auth = access === 'session' ? access : ({ session: access } as const)
  const problem = checkAccess(caller, { auth, withoutSecondFactor }, 'GET')
  if (problem) throw problem
}
