import { problemCatalog } from '@hosting/core/problems'
import type { Route } from '../api/routes/route.ts'
import { publicBase, publicRoutes } from '../api/routes/index.ts'
import { OperationSection } from './operation.tsx'
import { Prose, type DocsPage } from './page.tsx'
import { documentedPath, type DocumentedApi } from './request-examples.ts'

const publicApi: DocumentedApi = {
  base: publicBase,
  urlVariable: 'HCTL_URL',
  tokenVariable: 'HCTL_TOKEN',
  problemsAt: '/problems/',
}

const path = '/docs/api'

/** The first segments of the paths of a group, and its title, in the order of the menu. The others follow. */
const titles: Readonly<Record<string, string>> = {
  webhooks: 'Webhooks',
  'webhook-deliveries': 'Deliveries',
  events: 'Events',
  'api-keys': 'API keys',
  scopes: 'Scopes',
  tenant: 'Organization',
  'audit-log': 'Audit log',
  notices: 'Notices',
  auth: 'Sign-in',
  impersonation: 'Impersonation',
}

/** A group of operations. */
interface OperationGroup {
  readonly path: string
  readonly title: string
  readonly routes: readonly Route[]
}

const groupsOf = (routes: readonly Route[]): OperationGroup[] => {
  const bySegment = Map.groupBy(routes, (route) => route.path.split('/')[1]!)
  const order = [...new Set([...Object.keys(titles), ...bySegment.keys()])]
  return order.flatMap((segment) => {
    const group = bySegment.get(segment)
    return group
      ? [
          {
            path: `${path}/${segment}`,
            title: titles[segment] ?? segment,
            routes: sortRoutes(group),
          },
        ]
      : []
  })
}

/** The operations of the records of a group before the others, such as those of the types of events. */
const sortRoutes = (routes: readonly Route[]): Route[] => {
  const isOfRecords = (route: Route): boolean => /^\/[^/]+(?:\/:|$)/.test(route.path)
  return routes.toSorted((one, other) => Number(isOfRecords(other)) - Number(isOfRecords(one)))
}

const publicGroups = groupsOf(publicRoutes)

/** The pages of the reference of the public API: an overview, and a page per group of operations. */
export const referencePages: readonly DocsPage[] = [
  {
    path,
    title: 'API reference',
    contents: [],
    content: (
      <>
        <h1>API reference</h1>
        <p>
          A JSON API at <code>{publicBase}</code>. Programs authenticate with an API key:{' '}
          <code>{'Authorization: Bearer <API_KEY>'}</code>. Errors are problem documents; their{' '}
          <code>code</code> identifies the problem: see <a href="/docs/problems">all problems</a>.
          The OpenAPI document, which also describes the webhooks, is at{' '}
          <a href={`${publicBase}/openapi.json`}>openapi.json</a>. The examples in TypeScript and
          Python use <a href="/docs/sdk">the SDKs</a>.
        </p>
        {publicGroups.map((group) => (
          <section key={group.path}>
            <h2>
              <a href={group.path}>{group.title}</a>
            </h2>
            <ul class="operations">
              {group.routes.map(({ operationId, method, path: routePath, summary }) => (
                <li key={operationId}>
                  <a class="standalone" href={`${group.path}#${operationId}`}>
                    {summary}
                  </a>{' '}
                  <span class="method">{method}</span>{' '}
                  <code>{publicBase + documentedPath(routePath)}</code>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </>
    ),
  },
  ...publicGroups.map(({ path: groupPath, title, routes }): DocsPage => ({
    path: groupPath,
    title: `API: ${title}`,
    contents: routes.map(({ operationId, summary }) => ({ id: operationId, text: summary })),
    content: (
      <>
        <h1>{title}</h1>
        {routes.map((route) => (
          <OperationSection key={route.operationId} route={route} api={publicApi} />
        ))}
      </>
    ),
  })),
]

/** The links of the menu to {@link referencePages}. */
export const referenceLinks = [
  [path, 'API reference'],
  ...publicGroups.map((group) => [group.path, group.title] as const),
] as const

/** The page of the reference of the internal API. */
export const internalReferencePage = (
  routes: readonly Route<never>[],
  { base }: { readonly base: string },
): DocsPage => {
  const operations = routes as readonly Route[]
  const api = {
    base,
    urlVariable: 'INTERNAL_URL',
    tokenVariable: 'SERVICE_TOKEN',
    problemsAt: '#problem-',
  }
  return {
    path: '/docs/internal-api',
    title: 'Internal API reference',
    contents: operations.map(({ operationId, summary }) => ({ id: operationId, text: summary })),
    content: (
      <>
        <h1>Internal API reference</h1>
        <p>
          A JSON API at <code>{base}</code> for the services of the platform. Requests carry a
          service token: <code>{'Authorization: Bearer <SERVICE_TOKEN>'}</code>. The OpenAPI
          document is at <a href={`${base}/openapi.json`}>openapi.json</a>. The examples in
          TypeScript use <code>createInternalClient</code> of <code>@hosting/platform-sdk</code>.
        </p>
        {operations.map((route) => (
          <OperationSection key={route.operationId} route={route} api={api} />
        ))}
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
      </>
    ),
  }
}
