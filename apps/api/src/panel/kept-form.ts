import type { Request, Response } from 'express'
import type { Services } from '../services.ts'
import { findCookie } from './cookies.ts'
import { Form } from './form.ts'
import { openHandOver, sealHandOver, type HandOver } from './hand-over.ts'
import type { Visit } from './page.ts'
import { setCookie } from './response.ts'
import type { Refused } from './view/context.ts'

const cookieName = 'form'
const keptSeconds = 600
/** Browsers keep cookies up to 4,096 bytes. */
const cookieBytesMax = 3_800

/** What no cookie keeps, and what belongs to one submission. */
const leftOut = /password|code|^csrf_token$|^do$|^next$/

/**
 * Keeps what a form was submitted with while the person confirms who they are: sealed in a cookie for this
 * session and the form's page. A form that is too long for a cookie is filled in again.
 */
export function keepForm(
  services: Services,
  res: Response,
  { action, path, visit }: { action: string; path: string; visit: Visit },
): void {
  const fields = visit.form.entries().filter(([name]) => !leftOut.test(name))
  if (fields.length === 0) return
  const text = JSON.stringify({ action, fields })
  const given = { text, seconds: keptSeconds, now: visit.now }
  const value = sealHandOver(services.serverSecret, placeOf(path, visit), given)
  if (value.length > cookieBytesMax) return
  setCookie(res, services, { name: cookieName, value, path, seconds: keptSeconds })
}

/** The form that was kept for the page, to be shown as it was filled in. It is kept for one visit. */
export function findKeptForm(
  services: Services,
  { req, res, visit }: { req: Request; res: Response; visit: Visit },
): Refused | undefined {
  const sealed = findCookie(req.get('cookie'), cookieName)
  if (sealed === undefined) return undefined
  setCookie(res, services, { name: cookieName, value: '', path: req.path, seconds: 0 })
  const place = placeOf(req.path, visit)
  const text = openHandOver(services.serverSecrets, place, { sealed, now: visit.now })
  if (text === undefined) return undefined
  const { action, fields } = JSON.parse(text) as { action: string; fields: [string, unknown][] }
  return {
    action,
    code: 'reauthentication_required',
    status: 200,
    form: new Form(Object.fromEntries(fields)),
    title: 'Thank you',
    detail: 'The form is as you filled it in. Submit it again.',
    faults: new Map(),
    isKept: true,
  }
}

/** No other use of the seal has this path. */
const placeOf = (path: string, { caller }: Visit): HandOver => ({
  path: `form ${path}`,
  sessionId: caller?.session.id,
})
