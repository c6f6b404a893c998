import type { Problem } from '@hosting/core/problems'
import type { SubmittedForm } from './form.ts'
import type { RejectedForm } from './view/context.ts'

/** Whether a problem is shown on the form. Problems of the request as a whole get an error page. */
export const isFormError = ({ code, status }: Problem): boolean =>
  status < 500
    ? !errorPageCodes.has(code)
    : code === 'webhooks_unavailable' || code === 'service_unavailable'

const errorPageCodes: ReadonlySet<string> = new Set([
  'csrf_failed',
  'method_not_allowed',
  'payload_too_large',
])

/** Converts a problem to what the form displays: each error next to its field. */
export function toRefused(
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
    .replace('must NOT have fewer than 1 items', 'must have at least one entry')
    .replace('must NOT have fewer than 1 characters', 'must not be empty')
    .replace(/must NOT have more than (\d+) characters/, 'must have at most $1 characters')
    .replace(/must NOT have fewer than (\d+) characters/, 'must have at least $1 characters')
    .replace('must be integer', 'must be a whole number')
    .replace('<= ', 'at most ')
    .replace('>= ', 'at least ')
    .replace('must NOT', 'must not')
