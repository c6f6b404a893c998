import type { Request, RequestHandler, Response } from 'express'
import { checkAccess } from '../http/check-access.ts'
import { takeDraft } from './form-draft.ts'
import type { Page, PageRequest, SignedInRequest } from './page.ts'
import { receive, type PanelServing, type ReceivedRequest } from './receive.ts'
import { redirect, redirectVia } from './response.ts'
import { clearFlashSecret, redirectAfter, redirectToSignIn, runAction } from './run-action.ts'
import { send } from './send.ts'

/** Serves a page: GET renders it; POST runs one of its actions and redirects. */
export function servePage(page: Page, serving: PanelServing): RequestHandler {
  return async (req, res) => {
    Object.assign(res.locals, { operation: `panel ${page.path}`, path: page.path })
    const received = await receive(page, serving, { req, res })
    const { pageRequest } = received
    const exchange = { req, res, pageRequest }
    if (page.access !== 'anyone' && !pageRequest.caller) {
      await redirectToSignIn(page, serving, exchange)
      return
    }
    if (leadsToSecondFactor(page, pageRequest)) {
      redirect(res, '/security')
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
  const view = await page.show(pageRequest)
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

/** Whether the person first has to set up the second factor that the organization requires. */
const leadsToSecondFactor = ({ access, withoutSecondFactor }: Page, { caller }: PageRequest) =>
  access !== 'anyone' && caller?.session.lacksSecondFactor === true && !withoutSecondFactor

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
