import { printable } from '../terminal/text.ts'
import type { Output } from '../terminal/output.ts'
import { headerNamesOf, type Difference } from './compare.ts'
import type { Settings } from './hosting-file.ts'
import type { Step } from './plan.ts'

const marks = { create: '+', update: '~', delete: '-', renew_secret: '~' } as const
const colors = { create: 'green', update: 'yellow', delete: 'red', renew_secret: 'yellow' } as const

/** The name of what a step is about: `webhooks billing/production`. */
export const subjectOf = (step: Step): string =>
  'externalId' in step ? `${step.kind} ${step.externalId}` : step.kind

/** A plan as lines. */
export function planLines(steps: readonly Step[], output: Output): string[] {
  const lines = steps.flatMap((step) => [
    output.styled(colors[step.action], `${marks[step.action]} ${subjectOf(step)}`),
    ...detailsOf(step).map((line) => `    ${printable(line)}`),
  ])
  return [...lines, '', summaryOf(steps)]
}

function detailsOf(step: Step): string[] {
  if (step.action === 'create') return Object.entries(shownOf(step.written)).map(toLine)
  if (step.action === 'delete') return [`${step.name} (${step.id})`]
  if (step.action === 'renew_secret') {
    return ['gets another secret: an interrupted apply did not store its first one']
  }
  const only = step.kind === 'key_policy' ? ['Only a person can save it, in the panel.'] : []
  return [...step.differences.flatMap(differenceLines), ...only]
}

/** The values of headers are secret, also those that the file contains. */
const shownOf = (settings: Settings): Settings =>
  'headers' in settings ? { ...settings, headers: headerNamesOf(settings['headers']) } : settings

const toLine = ([field, value]: readonly [string, unknown]): string => `${field}  ${toText(value)}`

function differenceLines({ field, to, fixed, ...rest }: Difference): string[] {
  const change = 'from' in rest ? `${toText(rest.from)} → ${toText(to)}` : `→ ${toText(to)}`
  return [`${field}  ${change}`, ...(fixed === undefined ? [] : [`  ${fixed}`])]
}

function toText(value: unknown): string {
  if (value === null) return 'none'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function summaryOf(steps: readonly Step[]): string {
  const count = (...actions: readonly string[]) =>
    steps.filter(({ action }) => actions.includes(action)).length
  return `${count('create')} to create, ${count('update', 'renew_secret')} to change, ${count('delete')} to delete.`
}

/** A step for programs. */
export function toJson(step: Step): Settings {
  const { action, kind } = step
  const subject = {
    action,
    kind,
    ...('externalId' in step && { external_id: step.externalId }),
    ...('id' in step && { id: step.id }),
  }
  if (step.action === 'create') return { ...subject, settings: shownOf(step.written) }
  return 'differences' in step ? { ...subject, changes: step.differences } : subject
}
