import { isSessionOnly, publicRoutes } from '@hosting/api'
import { internalProblems, problemCatalog } from '@hosting/core/problems'
import { permissions } from '@hosting/core/scopes'
import { errorClasses, eventTypes, type EventType } from '@hosting/core/webhooks'
import { listOf } from './facts.ts'
import { markdownTable } from './format.ts'

const code = (text: string): string => `\`${text}\``

/** Permissions besides those that every resource has. */
export function permissionsTable(): string {
  const further = [...permissions.values()].filter(({ name }) => !/\.(read|manage)$/.test(name))
  const noteOf = ({ strict, sessionOnly }: (typeof further)[number]): string => {
    if (sessionOnly) return 'Session only: a key gets 403 `api_key_not_allowed`'
    return strict ? 'Strict' : ''
  }
  const rows = further.map((permission) => [
    code(permission.name),
    permission.access,
    noteOf(permission),
  ])
  return markdownTable(['Permission', 'Access', 'Notes'], rows)
}

/** The requests that are never available with a key. */
export function sessionOnlyTable(): string {
  const rows = publicRoutes
    .filter(isSessionOnly)
    .map(({ method, path, summary }) => [
      summary,
      code(`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
    ])
  return markdownTable(['What', 'Request'], rows)
}

/** The event types with the fields of their data. */
export function eventTypesTable(): string {
  const rows = [...eventTypes.values()].map((eventType) => [
    code(eventType.type),
    eventType.description.replace(/\.$/, ''),
    code(eventType.schema.properties['object_type']!.const!),
    eventType.reserved ? 'Reserved' : fieldsOf(eventType),
  ])
  return markdownTable(['Type', 'Sent when', '`object_type`', 'Further fields'], rows)
}

function fieldsOf({ schema: { properties, required } }: EventType): string {
  const fields = Object.entries(properties)
    .filter(([name]) => name !== 'object_type' && name !== 'object_id')
    .map(([name, { type, enum: values }]) => {
      const field = `${code(name)}${required.includes(name) ? '' : '?'}`
      if (type === 'boolean') return `${field} (boolean)`
      const isListed = values !== undefined && values.length < errorClasses.length
      return isListed ? `${field}: ${listOf(values.map(code), 'or')}` : field
    })
  return fields.join(fields.some((field) => field.includes(': ')) ? '; ' : ', ')
}

/** The problem codes by status. */
export function problemCodesTable(): string {
  const byStatus = Map.groupBy(Object.entries(problemCatalog), ([, { status }]) => status)
  const rows = [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, problems]) => [
      String(status),
      problems.map(([name]) => written(name)).join(' '),
    ])
    .map(([status, codes]) => [status!, codes!.replace(/,( <!-- \/platform -->)?$/, '$1')])
  return markdownTable(['Status', 'Codes'], rows)
}

const written = (name: string): string =>
  internalProblems.has(name)
    ? `<!-- platform -->${code(name)},<!-- /platform -->`
    : `${code(name)},`
