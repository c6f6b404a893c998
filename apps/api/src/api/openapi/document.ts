import { defaultNames, exampleUrl } from '@hosting/core/branding'
import { internalProblems, problemCatalog } from '@hosting/core/problems'
import type { Route } from '../routes/route.ts'
import { publicBase } from '../routes/index.ts'
import { callbacksOf } from './callbacks.ts'
import { createComponents } from './components.ts'
import { exactForm, publishedForm, type SchemaForm } from './forms.ts'
import { operationOf } from './operation.ts'
import { headerComponents } from './response-headers.ts'

/** The tags of the operations: the first segments of their paths. Others get a text of their own name. */
const tagTexts: Readonly<Record<string, string>> = {
  accounts: 'The accounts of the directory.',
  'api-keys': 'API keys and their usage.',
  'audit-log': 'What changed in the organization, and who changed it.',
  auth: 'The caller, sign-in, device login and the exchange of identity tokens.',
  authorize: 'Authorization of requests to other services of the platform.',
  deliveries: 'What the service sends to the URL of an endpoint.',
  directory: 'Many records of the directory at once.',
  events: 'The events of the organization.',
  notices: 'Notices for people.',
  tenant: 'The organization and its policies.',
  tenants: 'The organizations of the directory.',
  users: 'The users of the directory.',
  'webhook-deliveries': 'Deliveries of events, and their attempts.',
  webhooks: 'Endpoints that receive events, their health and recoveries.',
}

/** The list of the tags that the operations have. */
const tagsOf = (names: Iterable<string>): readonly object[] =>
  [...new Set(names)].toSorted().map((name) => ({
    name,
    description: tagTexts[name] ?? `Operations under \`/${name}\`.`,
  }))

type Json = Record<string, unknown>

/** The problem codes of the public API. */
const publicCodes = Object.keys(problemCatalog).filter((code) => !internalProblems.has(code))

/** The OpenAPI 3.1 document of the public API's routes, as it is served. */
export function openApiDocument(routes: readonly Route<never>[]): Json {
  const components = createComponents()
  return documentOf(routes, {
    title: `${defaultNames.brandName} API`,
    description:
      'API keys, device login and signed webhooks. Errors are problem documents (RFC 9457) whose `code` says what happened. Responses may get further members and values.',
    server: { url: `${exampleUrl}${publicBase}`, description: 'This service.' },
    form: publishedForm(components, publicCodes),
    callbacks: { 'webhooks.create': callbacksOf(components) },
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
      csrfToken: {
        type: 'apiKey',
        in: 'header',
        name: 'X-CSRF-Token',
        description: "The session's `csrf_token`, for changes with a session.",
      },
    },
  })
}

/** The OpenAPI 3.1 document of the internal API's routes, as it is served. */
export const internalApiDocument = (
  routes: readonly Route<never>[],
  base: string,
  port?: number,
): Json =>
  documentOf(routes, {
    title: `${defaultNames.brandName} internal API`,
    description:
      'The directory, events and authorization, for the services of the platform. Errors are problem documents (RFC 9457) whose `code` says what happened. Responses may get further members and values.',
    server: {
      url: `http://localhost${port === undefined ? '' : `:${port}`}${base}`,
      description: 'The internal listener on its own machine. Elsewhere, use its address.',
    },
    form: publishedForm(createComponents()),
    securitySchemes: {
      serviceToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'A token of `INTERNAL_TOKENS`, as `Authorization: Bearer <SERVICE_TOKEN>`.',
      },
    },
  })

/**
 * The document of routes for tests and for our own generators: without components, with closed responses and enums,
 * and with patterns that are narrower than the checks, so that test data generators make valid requests. It is never
 * served.
 */
export const exactDocument = (routes: readonly Route<never>[], base = publicBase): Json =>
  documentOf(routes, {
    title: 'Exact',
    description: 'For tests.',
    server: { url: base },
    form: exactForm,
    securitySchemes: Object.fromEntries(
      ['apiKey', 'session', 'csrfToken', 'serviceToken'].map((name) => [
        name,
        { type: 'apiKey', in: 'header', name },
      ]),
    ),
  })

/** What differs between the documents. */
interface ApiDescription {
  readonly title: string
  readonly description: string
  readonly server: Json
  readonly form: SchemaForm
  readonly securitySchemes: Json
  /** What the service sends because of an operation. */
  readonly callbacks?: Readonly<Record<string, Json>>
}

function documentOf(
  routes: readonly Route<never>[],
  { title, description, server, form, securitySchemes, callbacks = {} }: ApiDescription,
): Json {
  const paths: Record<string, Json> = {}
  const tags = new Set<string>(Object.keys(callbacks).length > 0 ? ['deliveries'] : [])
  for (const route of routes as readonly Route[]) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const operation = operationOf(route, form)
    const called = callbacks[route.operationId]
    tags.add(operation.tags[0])
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: { ...operation, ...(called && { callbacks: called }) },
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1',
      description,
      contact: { name: defaultNames.brandName, url: `${exampleUrl}/docs` },
      license: { name: 'For use with this service', url: `${exampleUrl}/docs` },
    },
    servers: [server],
    tags: tagsOf(tags),
    paths,
    components: {
      securitySchemes,
      schemas: form.components(),
      headers: usedHeaders(paths),
    },
  }
}

/** The headers that a document refers to. */
function usedHeaders(paths: Json): Json {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(headerComponents).filter(([name]) =>
      text.includes(`"#/components/headers/${name}"`),
    ),
  )
}
