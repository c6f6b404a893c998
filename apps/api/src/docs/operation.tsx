import { neededScope } from '@hosting/core/scopes'
import { Table } from '@hosting/html'
import { Fragment } from 'preact'
import { problemsOf } from '../api/routes/implied-problems.ts'
import { documentedBodyOf, type ResponseShape, type Route } from '../api/routes/route.ts'
import { isSessionOnly, permissionOf } from '../api/access/check-access.ts'
import { exampleOf } from './example-value.ts'
import { Prose } from './page.tsx'
import { documentedPath, requestExamplesOf, type DocumentedApi } from './request-examples.ts'
import { membersOf, type Member, type Schema } from './schema-members.ts'

/** An operation of the reference: parameters, examples, responses, scope and problems. */
export function OperationSection({ route, api }: { route: Route; api: DocumentedApi }) {
  const body = documentedBodyOf(route)
  return (
    <section aria-labelledby={route.operationId}>
      <h2 id={route.operationId}>{route.summary}</h2>
      <div class="operation">
        <div>
          <p>
            <span class="method">{route.method}</span>{' '}
            <code>{api.base + documentedPath(route.path)}</code>
          </p>
          {route.description !== undefined && (
            <p>
              <Prose text={route.description} />
            </p>
          )}
          <p class="quiet">
            <Access route={route} />
          </p>
          {route.params && <Members title="Path" route={route} schema={route.params} />}
          {route.query && <Members title="Query" route={route} schema={route.query} />}
          {body && <Members title="Body" route={route} schema={body} />}
          <p>
            Problems:{' '}
            {problemsOf(route).map((code) => (
              <Fragment key={code}>
                <a class="standalone" href={api.problemsAt + code}>
                  <code>{code}</code>
                </a>{' '}
              </Fragment>
            ))}
          </p>
        </div>
        <div class="examples">
          <h3>Example request</h3>
          {requestExamplesOf(route, api).map(({ language, syntax, code }, index) => (
            <details key={language} open={index === 0}>
              <summary>{language}</summary>
              <pre>
                <code class={`language-${syntax}`}>{code}</code>
              </pre>
            </details>
          ))}
          <h3>Responses</h3>
          {route.returns.map((shape) => (
            <ResponseSection key={shape.status} route={route} shape={shape} />
          ))}
        </div>
      </div>
    </section>
  )
}

function Access({ route: { auth, method } }: { route: Route }) {
  if (auth === 'none') return <>No credentials needed.</>
  if (auth === 'service') return <>Needs a service token.</>
  if (auth === 'session') return <>Sessions only.</>
  const permission = permissionOf(auth)
  if (!permission) return <>Any API key or session.</>
  if (isSessionOnly({ auth })) {
    return (
      <>
        Sessions only, with the permission <code>{permission.name}</code>.
      </>
    )
  }
  return (
    <>
      Permission <code>{permission.name}</code>; API keys need the scope{' '}
      <code>{neededScope(permission, method)}</code>.
    </>
  )
}

interface ResponseParts {
  readonly route: Route
  readonly shape: ResponseShape
}

/** A response: its members, which are many, are collapsed with an example. */
function ResponseSection({ route, shape }: ResponseParts) {
  const { status } = shape
  const title = (
    <>
      <strong>{status}</strong> <Prose text={shape.description} />
    </>
  )
  if (!shape.schema) return <p>{title}</p>
  const isJson = shape.mediaType === undefined
  return (
    <details>
      <summary>{title}</summary>
      {isJson && (
        <pre>
          <code class="language-json">
            {JSON.stringify(exampleOf(shape.schema, 'all'), null, 2)}
          </code>
        </pre>
      )}
      <MemberTable caption={`Response ${status} of ${route.operationId}`} schema={shape.schema} />
    </details>
  )
}

interface MembersParts {
  readonly title: string
  readonly route: Route
  readonly schema: Schema
}

const Members = ({ title, route, schema }: MembersParts) =>
  membersOf(schema).length > 0 && (
    <>
      <h3>{title}</h3>
      <MemberTable caption={`${title} of ${route.operationId}`} schema={schema} />
    </>
  )

/** The columns of a member's name and type. */
export const memberColumns = [
  {
    name: 'Member',
    show: ({ name, required }: Member) => (
      <>
        <code>{name}</code>
        {required ? '' : ' (optional)'}
      </>
    ),
  },
  { name: 'Type', show: ({ type }: Member) => type },
]

const MemberTable = ({ caption, schema }: { caption: string; schema: Schema }) => (
  <div class="card">
    <Table
      caption={caption}
      columns={[
        ...memberColumns,
        { name: 'Description', show: ({ description }) => <Prose text={description} /> },
      ]}
      rows={membersOf(schema)}
      keyOf={({ name }) => name}
    />
  </div>
)
