import { neededScope } from '@hosting/core'
import { Table } from '@hosting/html'
import type { RequestHandler } from 'express'
import { Fragment } from 'preact'
import { problemsOf } from '../http/implied-problems.ts'
import { permissionOf, type ResponseShape, type Route } from '../http/route.ts'
import { publicBase, publicRoutes } from '../routes/index.ts'
import { Prose, serveText } from './page.tsx'
import { membersOf, type Schema } from './schema-members.ts'

/** `GET /docs`: the reference of the public API, generated from the route table. */
export function serveReference(): RequestHandler {
  const groups = Map.groupBy(publicRoutes as readonly Route[], ({ path }) => path.split('/')[1]!)
  return serveText(
    'Reference',
    <>
      <h1>Hosting Control API</h1>
      <p>
        A JSON API at <code>{publicBase}</code>. Programs authenticate with an API key:{' '}
        <code>{'Authorization: Bearer <API_KEY>'}</code>. Errors are problem documents; their{' '}
        <code>code</code> identifies the problem: see <a href="/problems">all problems</a>. The
        OpenAPI document is at <a href={`${publicBase}/openapi.json`}>openapi.json</a>.
      </p>
      <nav aria-label="Operations">
        <ul>
          {publicRoutes.map(({ operationId, summary }) => (
            <li key={operationId}>
              <a href={`#${operationId}`}>{summary}</a>
            </li>
          ))}
        </ul>
      </nav>
      {[...groups].map(([name, routes]) => (
        <Fragment key={name}>
          <h2>{name}</h2>
          {routes.map((route) => (
            <Operation key={route.operationId} route={route} />
          ))}
        </Fragment>
      ))}
    </>,
  )
}

const Operation = ({ route }: { route: Route }) => (
  <section>
    <h3 id={route.operationId}>
      <span class="method">{route.method}</span>{' '}
      <code>{publicBase + route.path.replace(/:(\w+)/g, '{$1}')}</code>
    </h3>
    <p>
      <Prose text={`${route.summary}. ${route.description ?? ''}`} />
    </p>
    <p class="quiet">
      <Access route={route} />
    </p>
    {route.query && (
      <>
        <h4>Query</h4>
        <Members caption="Query" schema={route.query} />
      </>
    )}
    {route.body && (
      <>
        <h4>Body</h4>
        <Members caption="Body" schema={route.body} />
      </>
    )}
    {Object.entries(route.responses).map(([status, shape]) => (
      <ResponseSection key={status} status={status} shape={shape!} />
    ))}
    <p>
      Problems:{' '}
      {[...new Set(problemsOf(route))].map((code) => (
        <Fragment key={code}>
          <a href={`/problems/${code}`}>
            <code>{code}</code>
          </a>{' '}
        </Fragment>
      ))}
    </p>
  </section>
)

function Access({ route: { auth, method } }: { route: Route }) {
  if (auth === 'none') return <>No credentials needed.</>
  if (auth === 'session') return <>Sessions only.</>
  const permission = permissionOf(auth)
  if (!permission) return <>Any API key or session.</>
  return (
    <>
      Permission <code>{permission.name}</code>; API keys need the scope{' '}
      <code>{neededScope(permission, method)}</code>.
    </>
  )
}

/** A response. Its members are collapsed, since there are many. */
function ResponseSection({ status, shape }: { status: string; shape: ResponseShape }) {
  const title = (
    <>
      <strong>{status}</strong> <Prose text={shape.description} />
    </>
  )
  return shape.schema ? (
    <details>
      <summary>{title}</summary>
      <Members caption={`Response ${status}`} schema={shape.schema} />
    </details>
  ) : (
    <p>{title}</p>
  )
}

const Members = ({ caption, schema }: { caption: string; schema: Schema }) => (
  <div class="card">
    <Table
      caption={caption}
      columns={[
        {
          name: 'Member',
          show: ({ name, required }) => (
            <>
              <code>{name}</code>
              {required ? '' : ' (optional)'}
            </>
          ),
        },
        { name: 'Type', show: ({ type }) => type },
        { name: 'Description', show: ({ description }) => <Prose text={description} /> },
      ]}
      rows={membersOf(schema)}
      keyOf={({ name }) => name}
    />
  </div>
)
