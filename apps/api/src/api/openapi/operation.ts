import { problemCatalog } from '@hosting/core/problems'
import { neededScope } from '@hosting/core/scopes'
import { Type } from 'typebox'
import { problemsOf } from '../routes/implied-problems.ts'
import { errorMediaType } from '../http/problem-document.ts'
import { documentedBodyOf, type Route } from '../routes/route.ts'
import { isSessionOnly, permissionOf } from '../access/check-access.ts'
import { toTypeName } from './components.ts'
import type { SchemaForm } from './forms.ts'
import { parametersOf, takesSession } from './operation-parameters.ts'
import { headersOf } from './response-headers.ts'

type Json = Record<string, unknown>

/** The operation of a route. Its tag is the first segment of its path. */
export function operationOf(route: Route, form: SchemaForm): Json & { readonly tags: [string] } {
  const { operationId, summary, description, path } = route
  return {
    operationId,
    tags: [path.split('/')[1]!],
    summary,
    ...(description && { description }),
    ...securityOf(route),
    ...accessOf(route),
    parameters: parametersOf(route, form.parameter),
    ...requestBodyOf(route, form),
    responses: { ...responsesOf(route, form), ...refusalsOf(route, form) },
  }
}

function requestBodyOf(route: Route, form: SchemaForm): Json {
  const body = documentedBodyOf(route)
  if (!body) return {}
  const { operationId, summary } = route
  const title = `${toTypeName(operationId)}Body`
  const schema = form.body(body, { title, description: `The body of: ${summary}.` })
  return {
    requestBody: {
      required: !Type.IsOptional(body),
      content: Object.fromEntries(mediaTypesOf(route).map((type) => [type, { schema }])),
    },
  }
}

const mediaTypesOf = ({ forms }: Route): string[] => [
  ...(forms === 'required' ? [] : ['application/json']),
  ...(forms ? ['application/x-www-form-urlencoded'] : []),
]

/** The accepted credentials: a key or a session, only a session, a service token, or none. */
function securityOf(route: Route): Json {
  if (route.auth === 'service') return { security: [{ serviceToken: [] }] }
  if (!takesSession(route)) return { security: [] }
  const session = { session: [], ...(route.method !== 'GET' && { csrfToken: [] }) }
  return { security: [...(isSessionOnly(route) ? [] : [{ apiKey: [] }]), session] }
}

/** The permission that the route requires, and the minimum scope of a key. */
function accessOf(route: Route): Json {
  const { auth, method } = route
  const permission = permissionOf(auth)
  if (!permission) return {}
  return {
    'x-permission': permission.name,
    ...(!isSessionOnly(route) && { 'x-scope': neededScope(permission, method) }),
  }
}

function responsesOf(route: Route, form: SchemaForm): Json {
  const title = `${toTypeName(route.operationId)}Result`
  const schemas = new Set(route.returns.flatMap(({ schema }) => schema ?? []))
  return Object.fromEntries(
    route.returns.map(({ status, description, schema, mediaType, files = [] }) => [
      status,
      {
        description,
        headers: headersOf(route, status),
        ...(schema && {
          content: {
            [mediaType ?? 'application/json']: {
              schema: form.response(schema, { title, description }, [...schemas]),
            },
            ...Object.fromEntries(files.map((type) => [type, { schema: { type: 'string' } }])),
          },
        }),
      },
    ]),
  )
}

function refusalsOf(route: Route, form: SchemaForm): Json {
  const byStatus = Map.groupBy(new Set(problemsOf(route)), (code) => problemCatalog[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${problemCatalog[code].title}.`).join(' '),
        headers: headersOf(route, status),
        content: { [errorMediaType(route.errorFormat)]: { schema: form.problems(codes) } },
      },
    ]),
  )
}
