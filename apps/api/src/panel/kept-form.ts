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
/** Browsers accept cookies of up to 4,096 bytes. */
const cookieBytesMax = 3_800

/** Fields that are never saved: secrets, and values that belong to one submission. */
const leftOut = /password|code|^csrf_token$|^do$|^next$/

/**
 * Saves a submitted form while the person confirms their identity, in a cookie sealed for this session and the
 * form's page. A form that does not fit into a cookie has to be filled in again.
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

/** Finds the form that was saved for the page, to prefill it. It is read once. */
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
    title: 'Identity confirmed',
    detail: 'Your entries are still here. Submit the form again.',
    faults: new Map(),
    isKept: true,
  }
}

/** The prefix keeps saved forms apart from flash secrets. */
const placeOf = (path: string, { caller }: Visit): HandOver => ({
  path: `form ${path}`,
  sessionId: caller?.session.id,
})
