import { notFound, problemCatalog, type ProblemCode } from '@hosting/core'
import type { RequestHandler } from 'express'
import { html, prose, servePage } from './page.ts'

const entries = Object.entries(problemCatalog) as [
  ProblemCode,
  (typeof problemCatalog)[ProblemCode],
][]

/** `GET /problems`: every problem code. */
export const listProblems: RequestHandler = servePage(
  'Problems',
  html`<h1>Problems</h1>
    <p>
      Every error of the API is a problem document (RFC 9457). Its <code>code</code> is one of
      these.
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Code</th>
          <th scope="col">Title</th>
        </tr>
      </thead>
      <tbody>
        ${entries.map(
          ([code, { status, title }]) =>
            html`<tr>
              <td>${status}</td>
              <td>
                <a href="/problems/${code}"><code>${code}</code></a>
              </td>
              <td>${title}</td>
            </tr>`,
        )}
      </tbody>
    </table>`,
)

const pages: ReadonlyMap<unknown, RequestHandler> = new Map(
  entries.map(([code, { status, title, explanation }]) => [
    code,
    servePage(
      title,
      html`<p><a href="/problems">All problems</a></p>
        <h1>${title}</h1>
        <p><code>${code}</code> · status ${status}</p>
        <p>${prose(explanation)}</p>`,
    ),
  ]),
)

/** `GET /problems/{code}`: what a code means and what to do. */
export const showProblem: RequestHandler = (req, res, next) => {
  const show = pages.get(req.params['code'])
  if (!show) throw notFound()
  return show(req, res, next)
}
