import type { Route } from '../api/routes/route.ts'
import { isSessionOnly } from '../api/access/check-access.ts'

/** What an example passes to an operation. */
export interface ExampleInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** Whether programs call the operation, with a key or without credentials, and not only browsers with a session. */
export const isForPrograms = (route: Route): boolean =>
  route.auth !== 'service' &&
  !isSessionOnly(route) &&
  !route.operationId.startsWith('auth.session.')

/** A call of the client for Python. */
export function inPythonClient(route: Route, { params, query, body }: ExampleInput): string {
  const named = { ...query, ...(body as object | undefined) }
  const values = [
    ...Object.values(params).map((value) => toPython(value)),
    ...Object.entries(named).map(([name, value]) => `${name}=${toPython(value)}`),
  ]
  const call = `client.${methodOf(route)}(${argumentsOf(values)})`
  return isIterated(route) ? `for item in ${call}:\n    print(item)` : call
}

/** The stream has a function of its own. */
const methodOf = ({ operationId }: Route): string =>
  operationId === 'webhooks.listen' ? 'listen' : operationId.replaceAll('-', '_')

/** Each argument on its own line if the call would be long. */
function argumentsOf(values: readonly string[]): string {
  const line = values.join(', ')
  return line.length <= 50 ? line : `\n${values.map((value) => `    ${value},\n`).join('')}`
}

/** Whether the client returns an iterator: over the pages of a list, or a stream. */
const isIterated = ({ query, returns }: Route): boolean =>
  query?.properties['cursor'] !== undefined ||
  returns.some(({ mediaType }) => mediaType === 'text/event-stream')

/** A JSON value as Python. */
export function toPython(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${toPython(each)}`,
  )
  return `{${members.join(', ')}}`
}
