import { Problem, validationFailed, type FieldError } from '@hosting/core/problems'
import type { WorkloadConditions } from '@hosting/core/workloads'
import type { SubmittedForm } from '../../../form.ts'

/** Conditions with all values of each claim. */
export type ConditionLists = Readonly<Record<string, readonly string[]>>

/**
 * Reads the field of conditions: a line `claim=value` for each value, which may contain `=`. Either part may be a JSON
 * string, for any text. Adds them to others.
 *
 * @throws Problem `validation_failed`
 */
export function readConditions(
  form: SubmittedForm,
  others: ConditionLists = {},
): WorkloadConditions {
  const all = new Map(Object.entries(others))
  const lines = (form.verbatim('conditions') ?? '').split('\n').map((line) => line.trim())
  for (const line of lines.filter((text) => text !== '')) {
    const [name, value] = readLine(line)
    all.set(name, [...(all.get(name) ?? []), value])
  }
  return Object.fromEntries(
    [...all].map(([claim, values]) => [claim, values.length === 1 ? values[0]! : values]),
  )
}

/** @throws Problem `validation_failed` */
function readLine(line: string): [name: string, value: string] {
  const [, claim, value] = /^("(?:[^"\\]|\\.)*"|[^="][^=]*)=(.+)$/.exec(line) ?? []
  const parts = [claim, value].map((part) => part && readPart(part.trim()))
  if (parts.every((part) => part !== undefined)) return parts as [string, string]
  const message = `“${line}” must have the form claim=value.`
  throw validationFailed({ pointer: '/conditions', message })
}

function readPart(text: string): string | undefined {
  if (!text.startsWith('"')) return text
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'string' ? parsed : undefined
  } catch {
    return undefined
  }
}

/** The text of the field for conditions, which {@link readConditions} reads as the same conditions. */
export const formatConditions = (conditions: WorkloadConditions): string =>
  Object.entries(conditions)
    .flatMap(([claim, accepted]) =>
      [accepted].flat().map((value) => {
        const name = claim.includes('=') ? JSON.stringify(claim) : formatPart(claim)
        return `${name}=${formatPart(value)}`
      }),
    )
    .join('\n')

/** A form changes line breaks, and the lines are trimmed. */
const formatPart = (text: string): string =>
  text.startsWith('"') || text !== text.trim() || /[\r\n]/.test(text) ? JSON.stringify(text) : text

/**
 * Calls the API. Its errors of members of `workload` become errors of the form's fields.
 *
 * @param fields - the fields of claims that have one of their own.
 */
export async function withFieldErrors<Result>(
  fields: Readonly<Record<string, string>>,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'validation_failed') throw error
    throw validationFailed(...(error.errors ?? []).map((given) => toFieldError(given, fields)))
  }
}

function toFieldError(
  { pointer, message }: FieldError,
  fields: Readonly<Record<string, string>>,
): FieldError {
  const [, member, name = '', escaped = ''] = pointer.split('/')
  const claim = escaped.replaceAll('~1', '/').replaceAll('~0', '~')
  if (member !== 'workload') return { pointer, message }
  if (name !== 'conditions') return { pointer: `/${name}`, message }
  const field = Object.hasOwn(fields, claim) ? fields[claim]! : 'conditions'
  const where = claim === '' || field !== 'conditions' ? '' : `“${claim}”: `
  return { pointer: `/${field}`, message: `${where}${message}` }
}
