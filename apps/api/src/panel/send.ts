import { findAppearance, sendPage, type PagePolicy } from '@hosting/html'
import type { Request, Response } from 'express'
import type { Services } from '../api/services.ts'
import { relyingPartyOf } from '../api/for-pages.ts'
import { findPageCookie } from './cookies.ts'
import { isFlashMessage, flashMessageCookie } from './flash-messages.ts'
import type { View } from './page.ts'
import { grantsOf } from './grants-of.ts'
import { personMarkOf } from './person-mark.ts'
import type { ReceivedRequest } from './receive.ts'
import { setCookie } from './response.ts'
import { renderPage } from './view/document.tsx'

/** Sends a page, with the pending message if there is one. */
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
  const waiting = findPageCookie(req, flashMessageCookie)
  if (waiting !== undefined) {
    setCookie(res, services, { name: flashMessageCookie, value: '', path: '/', seconds: 0 })
  }
  const url = req.originalUrl
  const page = renderPage(view, {
    context: {
      url,
      now,
      brand: services.brand,
      offersPasskeys: relyingPartyOf(services.config) !== undefined,
      appearance: findAppearance(req.get('cookie')),
      csrfToken: caller?.session.csrfToken,
      personMark: caller && personMarkOf(services, caller),
      may: grantsOf(caller),
      unreadNotices,
      refused,
    },
    caller,
    message: isFlashMessage(waiting) && !refused ? waiting : undefined,
    nonce,
  })
  sendPage(res, page, policyWith(nonce))
}

/** Only the one script, which carries the nonce, may run. */
export const policyWith = (nonce: string): PagePolicy => ({
  loads: [
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
  ],
  formAction: "'self'",
})
