import { documentedBodyOf, type Route } from '../api/routes/route.ts'
import { isSessionOnly, needsCredentials } from '../api/access/check-access.ts'
import { exampleOf } from './example-value.ts'
import { inPythonClient, isForPrograms, toPython, type ExampleInput } from './python-example.ts'

/** An API whose reference is shown. */
export interface DocumentedApi {
  readonly base: string
  /** The variables of the examples. */
  readonly urlVariable: string
  readonly tokenVariable: string
  /** What the links to problems begin with; the code follows. */
  readonly problemsAt: string
}

/** A request in one language. */
export interface RequestExample {
  readonly language: string
  /** The language as the highlighter calls it. */
  readonly syntax: string
  readonly code: string
}

/** The path as OpenAPI and the SDK write it. */
export const documentedPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')

/** An example request of a route in curl, TypeScript and Python. */
export function requestExamplesOf(route: Route, api: DocumentedApi): RequestExample[] {
  const params = route.params ? exampleOf(route.params, 'all') : {}
  const query = route.query ? exampleOf(route.query, 'required') : {}
  const bodySchema = documentedBodyOf(route)
  const body = bodySchema && exampleOf(bodySchema, 'required')
  const input = {
    params: params as Record<string, string>,
    query: query as Record<string, unknown>,
    body,
  }
  return [
    { language: 'curl', syntax: 'sh', code: inCurl(route, api, input) },
    { language: 'TypeScript', syntax: 'ts', code: inTypeScript(route, input) },
    { language: 'Python', syntax: 'python', code: inPython(route, api, input) },
  ]
}

function targetOf(
  { path }: Route,
  { base }: DocumentedApi,
  { params, query }: ExampleInput,
): string {
  const filled = path.replaceAll(/:(\w+)/g, (_whole, name: string) => params[name]!)
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
  )
  return base + filled + (search.size > 0 ? `?${search}` : '')
}

function inCurl(route: Route, api: DocumentedApi, input: ExampleInput): string {
  const { method } = route
  const lines = [
    `curl ${isStream(route) ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}"$${api.urlVariable}${targetOf(route, api, input)}"`,
    ...credentialsOf(route, `$${api.tokenVariable}`).map(
      ([name, value]) => `-H "${name}: ${value}"`,
    ),
    ...(input.body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(input.body)}'`]),
  ]
  return lines.join(' \\\n  ')
}

/** Whether the response does not end by itself. */
const isStream = ({ returns }: Route): boolean =>
  returns.some(({ mediaType }) => mediaType === 'text/event-stream')

function inTypeScript(route: Route, { params, query, body }: ExampleInput): string {
  if (isStream(route)) {
    return 'for await (const message of client.listen()) console.log(message)'
  }
  if (route.operationId === 'internal.events') return `await client.publish([${toSource(body)}])`
  const has = (value: object) => Object.keys(value).length > 0
  const options = {
    ...((has(params) || has(query)) && {
      params: { ...(has(params) && { path: params }), ...(has(query) && { query }) },
    }),
    ...(body !== undefined && { body }),
  }
  const given = has(options) ? `, ${toSource(options)}` : ''
  return `await client.${route.method}('${documentedPath(route.path)}'${given})`
}

function inPython(route: Route, api: DocumentedApi, input: ExampleInput): string {
  if (isForPrograms(route)) return inPythonClient(route, input)
  const headers = credentialsOf(route, '').map(([name, value]) =>
    name === 'Authorization'
      ? `"${name}": "Bearer " + os.environ["${api.tokenVariable}"]`
      : `"${name}": "${value}"`,
  )
  const json = input.body === undefined ? [] : [`json=${toPython(input.body)},`]
  return [
    'import os, requests',
    '',
    `response = requests.${route.method.toLowerCase()}(`,
    `    os.environ["${api.urlVariable}"] + "${targetOf(route, api, input)}",`,
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
    ...json.map((line) => `    ${line}`),
    ')',
    'response.raise_for_status()',
  ].join('\n')
}

/** The headers of the credentials: of a key or service token, or of a session where keys are refused. */
function credentialsOf(route: Route, token: string): readonly (readonly [string, string])[] {
  if (!needsCredentials(route)) return []
  if (!isSessionOnly(route)) return [['Authorization', `Bearer ${token}`]]
  const csrf = route.method === 'GET' ? [] : [['X-CSRF-Token', '…'] as const]
  return [['Cookie', '__Host-session=…'], ...csrf]
}

/** A JSON value as TypeScript. */
const toSource = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll("'", "\\'")
    .replaceAll(/"((?:[^"\\]|\\.)*)"/g, "'$1'")
