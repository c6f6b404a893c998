import { notFound, problemCatalog, type ProblemCode } from '@hosting/core'
import { Table } from '@hosting/pages'
import type { RequestHandler } from 'express'
import { Prose, serveText } from './page.tsx'

const entries = Object.entries(problemCatalog) as [
  ProblemCode,
  (typeof problemCatalog)[ProblemCode],
][]

/** `GET /problems`: every problem code. */
export const listProblems: RequestHandler = serveText(
  'Problems',
  <>
    <h1>Problems</h1>
    <p>
      Every error of the API is a problem document (RFC 9457). Its <code>code</code> is one of
      these.
    </p>
    <div class="card">
      <Table
        caption="Problem codes"
        columns={[
          { name: 'Status', show: ([, { status }]) => status },
          {
            name: 'Code',
            show: ([code]) => (
              <a href={`/problems/${code}`}>
                <code>{code}</code>
              </a>
            ),
          },
          { name: 'Title', show: ([, { title }]) => title },
        ]}
        rows={entries}
        keyOf={([code]) => code}
      />
    </div>
  </>,
)

const pages: ReadonlyMap<unknown, RequestHandler> = new Map(
  entries.map(([code, { status, title, explanation }]) => [
    code,
    serveText(
      title,
      <>
        <p>
          <a href="/problems">All problems</a>
        </p>
        <h1>{title}</h1>
        <p>
          <code>{code}</code> · status {status}
        </p>
        <p>
          <Prose text={explanation} />
        </p>
      </>,
    ),
  ]),
)

/** `GET /problems/{code}`: what a code means and what to do. */
export const showProblem: RequestHandler = (req, res, next) => {
  const show = pages.get(req.params['code'])
  if (!show) throw notFound()
  return show(req, res, next)
}
