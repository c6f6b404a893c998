import type { Request, Response } from 'express'
import type { Services } from '../services.ts'
import { findCookie } from './cookies.ts'
import { Form } from './form.ts'
import { openFlashSecret, sealFlashSecret, type FlashTarget } from './flash-secret.ts'
import type { PageRequest } from './page.ts'
import { setCookie } from './response.ts'
import type { RejectedForm } from './view/context.ts'

const cookieName = 'form'
const savedSeconds = 600
/** Browsers accept cookies of up to 4,096 bytes. */
const cookieBytesMax = 3_800

/** Fields that are never saved: secrets, and values that belong to one submission. */
const neverSaved = /password|code|^csrf_token$|^do$|^next$/

/** A form to save, with the page that it belongs to. */
interface SavedSubmission {
  readonly action: string
  readonly path: string
  readonly pageRequest: PageRequest
  /** The errors to show with it. Without them, it was only interrupted. */
  readonly rejected?: RejectedForm
}

/**
 * Saves a submitted form, in a cookie sealed for this session and the form's page: while the person confirms their
 * identity, or until the page shows its errors. Returns whether it fits into a cookie.
 */
export function saveForm(
  services: Services,
  res: Response,
  { action, path, pageRequest, rejected }: SavedSubmission,
): boolean {
  const fields = pageRequest.form.entries().filter(([name]) => !neverSaved.test(name))
  if (fields.length === 0) return false
  const saved: SavedText = { action, fields, ...(rejected && { errors: toErrors(rejected) }) }
  const text = JSON.stringify(saved)
  const given = { text, seconds: savedSeconds, now: pageRequest.now }
  const value = sealFlashSecret(services.serverSecret, targetOf(path, pageRequest), given)
  if (value.length > cookieBytesMax) return false
  setCookie(res, services, { name: cookieName, value, path, seconds: savedSeconds })
  return true
}

interface SavedText {
  readonly action: string
  readonly fields: readonly [string, unknown][]
  readonly errors?: ReturnType<typeof toErrors>
}

const toErrors = ({ code, title, detail, faults }: RejectedForm) => ({
  code,
  title,
  detail,
  faults: [...faults],
})

/** Finds the form that was saved for the page, to prefill it. It is read once. */
export function findSavedForm(
  services: Services,
  { req, res, pageRequest }: { req: Request; res: Response; pageRequest: PageRequest },
): RejectedForm | undefined {
  const sealed = findCookie(req.get('cookie'), cookieName)
  if (sealed === undefined) return undefined
  setCookie(res, services, { name: cookieName, value: '', path: req.path, seconds: 0 })
  const target = targetOf(req.path, pageRequest)
  const text = openFlashSecret(services.serverSecrets, target, { sealed, now: pageRequest.now })
  if (text === undefined) return undefined
  const { action, fields, errors } = JSON.parse(text) as SavedText
  const form = new Form(Object.fromEntries(fields))
  if (errors) return { ...errors, action, form, status: 200, faults: new Map(errors.faults) }
  return {
    action,
    code: 'reauthentication_required',
    status: 200,
    form,
    title: 'Identity confirmed',
    detail: 'Your entries are still here. Submit the form again.',
    faults: new Map(),
    isSaved: true,
  }
}

/** The prefix keeps saved forms apart from flash secrets. */
const targetOf = (path: string, { caller }: PageRequest): FlashTarget => ({
  path: `form ${path}`,
  sessionId: caller?.session.id,
})
