import { problemCatalog } from '@hosting/core/problems'
import { sendPage } from '@hosting/html'
import type { RequestHandler } from 'express'
import type { ComponentChildren } from 'preact'
import type { Brand } from '../brand.ts'
import { problemsOf } from '../http/implied-problems.ts'
import { documentedBodyOf, type Route } from '../http/route.ts'
import { publicBase, publicRoutes } from '../routes/index.ts'
import { OperationSection } from './operation.tsx'
import { policy, Prose, renderDocsPage, renderStatic, type DocsPage } from './page.tsx'
import { documentedPath, type DocumentedApi } from './request-examples.ts'
import { membersOf } from './schema-members.ts'

/** What the reference of an API shows. */
interface Reference {
  readonly brand: Brand
  readonly path: string
  readonly title: string
  readonly introduction: ComponentChildren
  readonly routes: readonly Route[]
  readonly api: DocumentedApi
  /** The links of the header; default: those of the public documentation. */
  readonly links?: readonly (readonly [path: string, name: string])[]
  /** Follows the operations. */
  readonly appendix?: ComponentChildren
}

/** `GET /docs/api`: the reference of the public API, generated from the route table. */
export const servePublicReference = (brand: Brand): RequestHandler =>
  serveReference({
    brand,
    path: '/docs/api',
    title: 'API reference',
    routes: publicRoutes,
    api: {
      base: publicBase,
      urlVariable: 'HCTL_URL',
      tokenVariable: 'HCTL_TOKEN',
      problemsAt: '/problems/',
    },
    introduction: (
      <p>
        A JSON API at <code>{publicBase}</code>. Programs authenticate with an API key:{' '}
        <code>{'Authorization: Bearer <API_KEY>'}</code>. Errors are problem documents; their{' '}
        <code>code</code> identifies the problem: see <a href="/problems">all problems</a>. The
        OpenAPI document is at <a href={`${publicBase}/openapi.json`}>openapi.json</a>. The examples
        in TypeScript use <a href="/docs/sdk">the SDK</a>.
      </p>
    ),
  })

/** `GET /docs` of the internal listener: the reference of the internal API. */
export const serveInternalReference = (
  routes: readonly Route<never>[],
  { base, brand }: { readonly base: string; readonly brand: Brand },
): RequestHandler =>
  serveReference({
    brand,
    path: '/docs',
    title: 'Internal API reference',
    routes,
    api: {
      base,
      urlVariable: 'INTERNAL_URL',
      tokenVariable: 'SERVICE_TOKEN',
      problemsAt: '#problem-',
    },
    links: [
      ['/docs', 'Internal API'],
      [`${base}/openapi.json`, 'OpenAPI document'],
    ],
    introduction: (
      <p>
        A JSON API at <code>{base}</code> for the services of the platform. Requests carry a service
        token: <code>{'Authorization: Bearer <SERVICE_TOKEN>'}</code>. The OpenAPI document is at{' '}
        <a href={`${base}/openapi.json`}>openapi.json</a>. The examples in TypeScript use{' '}
        <code>createInternalClient</code> of <code>@hosting/platform-sdk</code>.
      </p>
    ),
    appendix: (
      <section aria-labelledby="problems">
        <h2 id="problems">Problems</h2>
        <dl>
          {Object.entries(problemCatalog).map(([code, { status, explanation }]) => (
            <div key={code}>
              <dt id={`problem-${code}`}>
                <code>{code}</code> {status}
              </dt>
              <dd>
                <Prose text={explanation} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
    ),
  })

/** Serves the whole reference, and with `?q=` the operations that contain every word of it. */
function serveReference(reference: Reference): RequestHandler {
  const whole = Buffer.from(renderReference(reference))
  const entries = reference.routes.map((route) => ({
    route,
    text: reference.brand.rename(searchableText(route)).toLowerCase(),
  }))
  return (req, res) => {
    const given = [req.query['q']].flat()[0]
    const query = typeof given === 'string' ? given.slice(0, queryLengthMax).trim() : ''
    if (query === '') return sendPage(res, whole, policy)
    const words = query.toLowerCase().split(/\s+/)
    const found = entries.filter(({ text }) => words.every((word) => text.includes(word)))
    const routes = found.map(({ route }) => route)
    return sendPage(res, renderResults(reference, query, routes), policy)
  }
}

const queryLengthMax = 100

const searchableText = (route: Route): string =>
  [
    route.operationId,
    `${route.method} ${documentedPath(route.path)}`,
    route.summary,
    route.description,
    typeof route.auth === 'object' ? route.auth.session : route.auth,
    ...problemsOf(route),
    ...[route.params, route.query, documentedBodyOf(route)].flatMap((schema) =>
      schema ? membersOf(schema).map(({ name }) => name) : [],
    ),
  ].join(' ')

const renderReference = (reference: Reference): string => {
  const { title, introduction, routes, api, links, appendix, brand } = reference
  const page: DocsPage = {
    title,
    ...(links && { links }),
    aside: <Sidebar reference={reference} query="" />,
    content: (
      <>
        <h1>{title}</h1>
        {introduction}
        {[...groupsOf(routes)].map(([name, group]) => (
          <section key={name} aria-labelledby={`group-${name}`}>
            <h2 id={`group-${name}`}>{name}</h2>
            {group.map((route) => (
              <OperationSection key={route.operationId} route={route} api={api} />
            ))}
          </section>
        ))}
        {appendix}
      </>
    ),
  }
  return renderStatic(page, brand)
}

const renderResults = (reference: Reference, query: string, found: readonly Route[]): string => {
  const page: DocsPage = {
    title: `Search: ${query}`,
    ...(reference.links && { links: reference.links }),
    aside: <Sidebar reference={reference} query={query} />,
    content: (
      <>
        <h1>Search results</h1>
        <p role="status">
          {found.length === 1 ? '1 operation' : `${found.length} operations`} for “{query}”
        </p>
        <ul class="links">
          {found.map((route) => (
            <li key={route.operationId}>
              <a href={`${reference.path}#${route.operationId}`}>{route.summary}</a>{' '}
              <span class="method">{route.method}</span>{' '}
              <code>{reference.api.base + documentedPath(route.path)}</code>
            </li>
          ))}
        </ul>
      </>
    ),
  }
  return renderDocsPage(page, reference.brand)
}

const groupsOf = (routes: readonly Route[]): Map<string, Route[]> =>
  Map.groupBy(routes, ({ path }) => path.split('/')[1]!)

/** The search, and the operations by group. The groups are collapsed, because there are many operations. */
const Sidebar = ({ reference, query }: { reference: Reference; query: string }) => (
  <nav class="aside" aria-label="Operations">
    <form role="search" action={reference.path} method="get">
      <label for="q">Search operations</label>
      <input type="search" id="q" name="q" value={query} maxLength={queryLengthMax} />
      <button type="submit">Search</button>
    </form>
    {[...groupsOf(reference.routes)].map(([name, group]) => (
      <details key={name}>
        <summary>{name}</summary>
        <ul>
          {group.map(({ operationId, summary }) => (
            <li key={operationId}>
              <a href={`${reference.path}#${operationId}`}>{summary}</a>
            </li>
          ))}
        </ul>
      </details>
    ))}
  </nav>
)
