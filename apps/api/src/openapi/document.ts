import { defaultNames } from '@hosting/core/branding'
import { idempotencyKeptHours, idempotencyKeyLengthMax } from '@hosting/core/idempotency'
import { problemCatalog } from '@hosting/core/problems'
import { neededScope } from '@hosting/core/scopes'
import { Type, type TObject } from 'typebox'
import { problemsOf } from '../http/implied-problems.ts'
import {
  documentedBodyOf,
  isSessionOnly,
  permissionOf,
  takesIdempotencyKey,
  type Route,
} from '../http/route.ts'
import { publicBase } from '../routes/index.ts'
import { deliveryParameters, webhooksOf } from './webhooks.ts'
import { toPublished, toPublishedBody } from './published-schema.ts'
import { headerComponents, headersOf } from './response-headers.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the public API's routes. */
export const openApiDocument = (routes: readonly Route<never>[]): Json =>
  documentOf(routes, {
    title: `${defaultNames.brandName} API`,
    description:
      'API keys, device login and signed webhooks. Errors are problem documents (RFC 9457) whose `code` says what happened.',
    base: publicBase,
    webhooks: webhooksOf(),
    parameters: deliveryParameters,
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'An API key, as `Authorization: Bearer <API_KEY>`.',
      },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-session',
        description:
          'A signed-in person. `session` where the service is not reached by https. Ignored if the request has an `Authorization` header.',
      },
    },
  })

/** The OpenAPI 3.1 document of the internal API's routes. */
export const internalApiDocument = (routes: readonly Route<never>[], base: string): Json =>
  documentOf(routes, {
    title: `${defaultNames.brandName} internal API`,
    description:
      'The directory, events and authorization, for the services of the platform. Errors are problem documents (RFC 9457) whose `code` says what happened.',
    base,
    securitySchemes: {
      serviceToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'A token of `INTERNAL_TOKENS`, as `Authorization: Bearer <SERVICE_TOKEN>`.',
      },
    },
  })

/** What differs between the documents. */
interface ApiDescription {
  readonly title: string
  readonly description: string
  readonly base: string
  readonly securitySchemes: Json
  /** What the service sends. */
  readonly webhooks?: Json
  readonly parameters?: Json
}

function documentOf(
  routes: readonly Route<never>[],
  { title, description, base, securitySchemes, webhooks, parameters }: ApiDescription,
): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes as readonly Route[]) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title, version: '1', description },
    servers: [{ url: base }],
    paths,
    ...(webhooks && { webhooks }),
    components: {
      securitySchemes,
      ...(parameters && { parameters }),
      schemas: { Problem: problemSchema },
      headers: headerComponents,
    },
  }
}

function operationOf(route: Route): Json {
  const { operationId, method, summary, description, params, query, path } = route
  const body = documentedBodyOf(route)
  return {
    operationId,
    tags: [path.split('/')[1]],
    summary,
    ...(description && { description }),
    ...securityOf(route),
    ...accessOf(route),
    parameters: [
      ...parametersOf('path', params),
      ...parametersOf('query', query),
      ...(takesIdempotencyKey(route) && takesSession(route) ? [idempotencyKey] : []),
      ...(method !== 'GET' && takesSession(route) ? [csrfToken] : []),
      requestId,
    ],
    ...(body && {
      requestBody: {
        required: !Type.IsOptional(body),
        content: Object.fromEntries(
          mediaTypesOf(route).map((type) => [type, { schema: toPublishedBody(body) }]),
        ),
      },
    }),
    responses: { ...responsesOf(route), ...refusalsOf(route) },
  }
}

const mediaTypesOf = ({ takesForms }: Route): string[] => [
  'application/json',
  ...(takesForms ? ['application/x-www-form-urlencoded'] : []),
]

const takesSession = ({ auth }: Route): boolean =>
  auth !== 'none' && auth !== 'sign_in' && auth !== 'service'

/** The accepted credentials: a key or a session, only a session, or a service token. */
function securityOf(route: Route): Json {
  if (route.auth === 'service') return { security: [{ serviceToken: [] }] }
  if (!takesSession(route)) return {}
  return { security: [...(isSessionOnly(route) ? [] : [{ apiKey: [] }]), { session: [] }] }
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

function parametersOf(location: 'path' | 'query', schema: TObject | undefined): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, member]) => {
    const { description, ...others } = toPublished(member) as Json
    return {
      name,
      in: location,
      required: schema!.required?.includes(name) ?? false,
      description,
      schema: others,
    }
  })
}

const responsesOf = (route: Route): Json =>
  Object.fromEntries(
    route.returns.map(({ status, description, schema, mediaType }) => [
      status,
      {
        description,
        headers: headersOf(route, status),
        ...(schema && {
          content: { [mediaType ?? 'application/json']: { schema: toPublished(schema) } },
        }),
      },
    ]),
  )

function refusalsOf(route: Route): Json {
  const byStatus = Map.groupBy(new Set(problemsOf(route)), (code) => problemCatalog[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${problemCatalog[code].title}.`).join(' '),
        headers: headersOf(route, status),
        content: {
          'application/problem+json': {
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Problem' },
                { properties: { code: { enum: codes } } },
              ],
            },
          },
        },
      },
    ]),
  )
}

const text = { type: 'string' }

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Repeating a request with the same key within ${idempotencyKeptHours} hours returns the same response, and the work is done only once.`,
  schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyLengthMax, pattern: '^[ -~]+$' },
}

const csrfToken = {
  name: 'X-CSRF-Token',
  in: 'header',
  required: false,
  description: "Required for requests with a session: the session's `csrf_token`.",
  schema: text,
}

const requestId = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description:
    'Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
}

const problemSchema = {
  type: 'object',
  description: 'A problem document (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
  properties: {
    type: { ...text, description: 'The page that explains the code.' },
    title: { ...text, description: 'What the code means, in a few words.' },
    status: { type: 'integer', description: 'The HTTP status of the response.' },
    detail: { ...text, description: 'What happened in this request, for people.' },
    instance: { ...text, description: 'The path of the request.' },
    code: {
      ...text,
      description: 'The stable name of the problem. Programs compare it instead of the texts.',
    },
    error: { ...text, description: 'Equal to `code`, in the 400s of the device login (RFC 8628).' },
    request_id: {
      ...text,
      description: 'The `X-Request-Id` of the response. Quote it when you contact support.',
    },
    errors: {
      type: 'array',
      description: 'For 422: the invalid members.',
      items: {
        type: 'object',
        required: ['pointer', 'message'],
        properties: {
          pointer: {
            ...text,
            description: 'A JSON Pointer (RFC 6901) into the body or the query.',
          },
          message: { ...text, description: 'What is wrong with the member.' },
        },
      },
    },
  },
}
