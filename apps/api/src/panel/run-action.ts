import { Problem } from '@hosting/core/problems'
import { decideCsrfToken } from '@hosting/core/sessions'
import type { Request, Response } from 'express'
import { requireCsrfToken, requireSameSite } from '../api/access/session.ts'
import type { Services } from '../api/services.ts'
import { saveDraft, type Draft } from './form-draft.ts'
import type { SubmittedForm } from './form.ts'
import { flashCookie, encryptFlashSecret } from './flash-secret.ts'
import { flashMessageCookie } from './flash-messages.ts'
import type { Page, PageRequest, Redirect, SignedInRequest } from './page.ts'
import { findMarkedPerson, ownerNameOf, personOf } from './person-mark.ts'
import type { PanelServing } from './receive.ts'
import { redirect, redirectVia, setCookie, appendHeaders } from './response.ts'
import type { RejectedForm } from './view/context.ts'

/** A request for a page, with its response. */
export interface Exchange {
  readonly req: Request
  readonly res: Response
  readonly pageRequest: PageRequest
}

/**
 * Runs the action of a submitted form. Every response is a redirect, whether the action succeeds or not, so the
 * browser's history consists of pages that can be loaded again. A rejected form is saved for the page, which shows it
 * with its errors.
 */
export async function runAction(page: Page, exchange: Exchange): Promise<void> {
  const { req, res, pageRequest } = exchange
  const { services, caller, form } = pageRequest
  if (!caller) requireSameSite(services, req)
  else if (isOfFormerSession(exchange)) {
    await keep(page, exchange, 'authentication_required')
    redirect(res, req.originalUrl)
    return
  } else requireCsrfToken(services, req, { ...caller, shown: form.text('csrf_token') })
  const action = actionOf(page, form)
  if (!action) throw new Problem('not_found')
  try {
    redirectAfter(exchange, await action(pageRequest as SignedInRequest))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    await redirectRejected(page, exchange, error)
  }
}

async function redirectRejected(page: Page, exchange: Exchange, problem: Problem): Promise<void> {
  const { req, res, pageRequest } = exchange
  const { code } = problem
  if (code === 'authentication_required' || code === 'reauthentication_required') {
    await keep(page, exchange, code)
    redirectVia(code === 'authentication_required' ? '/sign-in' : '/confirm', req, res)
    return
  }
  if (!isFormError(problem)) throw problem
  const { form } = pageRequest
  await keep(page, exchange, toRefused(problem, { action: nameOfAction(page, form), form }))
  redirect(res, req.originalUrl)
}

/**
 * Redirects the form of a person whose session has ended to sign-in. If the same person signs in, the page shows the
 * form again, not submitted.
 */
export async function redirectToSignIn(
  page: Page,
  { toReturnPath }: PanelServing,
  exchange: Exchange,
): Promise<void> {
  const { req, res, pageRequest } = exchange
  const { services, form } = pageRequest
  const returns = req.method === 'POST' && toReturnPath(req.originalUrl) === req.originalUrl
  if (returns && findMarkedPerson(services, form.text('person'))) {
    requireSameSite(services, req)
    await keep(page, exchange, 'authentication_required')
  }
  redirectVia('/sign-in', req, res)
}

/** Redirects a person who first has to confirm their identity. A form is shown again afterwards, not submitted. */
export async function redirectToConfirm(page: Page, exchange: Exchange): Promise<void> {
  const { req, res, pageRequest } = exchange
  const { services, caller, form } = pageRequest
  if (req.method === 'POST') {
    if (!isOfFormerSession(exchange)) {
      requireCsrfToken(services, req, { ...caller!, shown: form.text('csrf_token') })
    }
    await keep(page, exchange, 'reauthentication_required')
  }
  redirectVia('/confirm', req, res)
}

/**
 * Whether a form was shown to the same person before they signed in again or confirmed their identity, for example in
 * another tab.
 *
 * @throws Problem `csrf_failed` if it comes from another site.
 */
function isOfFormerSession({ req, pageRequest }: Exchange): boolean {
  const { services, caller, form } = pageRequest
  if (!caller) return false
  requireSameSite(services, req)
  const marked = findMarkedPerson(services, form.text('person'))
  const { userId, personId } = personOf(caller)
  return (
    decideCsrfToken(caller.session.csrfToken, form.text('csrf_token')) !== undefined &&
    marked?.userId === userId &&
    marked.personId === personId
  )
}

function keep(
  page: Page,
  { req, res, pageRequest }: Exchange,
  reason: Draft['reason'],
): Promise<void> {
  const { services, caller, form, now } = pageRequest
  const person = caller ? personOf(caller) : findMarkedPerson(services, form.text('person'))
  const action = nameOfAction(page, form)
  const place = { page: page.path, path: req.path }
  return saveDraft(services, res, { ...place, action, form, person, now, reason })
}

/** The action that a form names. A form without the field means the only action of its page. */
function nameOfAction({ actions = {} }: Page, form: SubmittedForm): string {
  const [only = '', ...others] = Object.keys(actions)
  const isNamed = form.all('do').length > 0
  return isNamed || others.length > 0 ? (form.text('do') ?? '') : only
}

function actionOf(page: Page, form: SubmittedForm) {
  const { actions = {} } = page
  const name = nameOfAction(page, form)
  return Object.hasOwn(actions, name) ? actions[name] : undefined
}

/** Redirects after an action, or instead of a page, with what the next page shows once. */
export function redirectAfter(
  { req, res, pageRequest: { services, flashSecret: received, caller, now } }: Exchange,
  { to, message, flashSecret, headers = {} }: Redirect,
): void {
  appendHeaders(res, headers)
  if (received !== undefined) clearFlashSecret(services, req, res)
  if (message !== undefined) {
    setCookie(res, services, { name: flashMessageCookie, value: message, path: '/', seconds: 60 })
  }
  if (flashSecret) {
    const { seconds, path = to.split('?')[0]!, isOfPerson } = flashSecret
    const owner = caller && (isOfPerson ? ownerNameOf(personOf(caller)) : caller.session.id)
    const target = { path, owner }
    const value = encryptFlashSecret(services.serverSecret, target, { ...flashSecret, now })
    setCookie(res, services, { name: flashCookie, value, path, seconds })
  }
  redirect(res, to)
}

/** Removes the flash secret of a page. */
export const clearFlashSecret = (services: Services, { path }: Request, res: Response): void =>
  setCookie(res, services, { name: flashCookie, value: '', path, seconds: 0 })

/** Whether a problem is shown on the form. Problems of the request as a whole get an error page. */
const isFormError = ({ code, status }: Problem): boolean =>
  status < 500
    ? !errorPageCodes.has(code)
    : code === 'webhooks_unavailable' || code === 'service_unavailable'

const errorPageCodes: ReadonlySet<string> = new Set([
  'csrf_failed',
  'method_not_allowed',
  'payload_too_large',
])

/** Converts a problem to what the form displays: each error next to its field. */
function toRefused(
  problem: Problem,
  { action, form }: { action: string; form: SubmittedForm },
): RejectedForm {
  const errors = new Map<string, string[]>()
  for (const { pointer, message } of problem.errors ?? []) {
    const [, name = '', index] = pointer.split('/')
    const entry = index === undefined ? '' : entryOf(form, name, index)
    const known = errors.get(name)
    const text = `${entry}${plainOf(message)}`
    if (!known) errors.set(name, [text])
    else if (!known.includes(text)) known.push(text)
  }
  const { code, title } = problem
  return { action, code, form, title, detail: detailOf(problem), errors }
}

/** The detail for people, where the catalog addresses programs. */
function detailOf({ code, message, headers }: Problem): string {
  if (code === 'api_key_policy_violation') {
    return 'The key policy of the organization does not allow this key.'
  }
  if (code !== 'rate_limited') return message
  const minutes = Math.ceil(Number(headers['Retry-After'] ?? 60) / 60)
  return `Wait ${minutes === 1 ? '1 minute' : `${minutes} minutes`}, then try again.`
}

/** Names the invalid entry of a list, or the invalid member of an object. */
function entryOf(form: SubmittedForm, name: string, index: string): string {
  if (!/^\d+$/.test(index)) return `“${index.replaceAll('~1', '/').replaceAll('~0', '~')}” `
  const entries = form.all(name).length > 1 ? form.all(name) : (form.lines(name) ?? [])
  const entry = entries[Number(index)]
  return entry === undefined ? '' : `“${entry}” `
}

/** Rewords the validator's messages for people. */
const plainOf = (message: string): string =>
  message
    .replace('must NOT have fewer than 1 items', 'must not be empty')
    .replace('must NOT have fewer than 1 characters', 'must not be empty')
    .replace(/must NOT have more than (\d+) characters/, 'must have at most $1 characters')
    .replace(/must NOT have fewer than (\d+) characters/, 'must have at least $1 characters')
    .replace('must be integer', 'must be a whole number')
    .replace('<= ', 'at most ')
    .replace('>= ', 'at least ')
    .replace('must NOT', 'must not')
    .replace(/(?<=at (most|least) )\d{4,}/, (digits) => Number(digits).toLocaleString('en'))
