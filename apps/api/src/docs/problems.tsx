import { notFound, problemCatalog, type ProblemCode } from '@hosting/core/problems'
import { Table } from '@hosting/html'
import type { RequestHandler } from 'express'
import type { Brand } from '../brand.ts'
import { Prose, serveDocsPage, type DocsPage } from './page.tsx'

const entries = Object.entries(problemCatalog) as [
  ProblemCode,
  (typeof problemCatalog)[ProblemCode],
][]

/** `GET /problems`: lists the problem codes. */
export const listProblems = (brand: Brand): RequestHandler => serveDocsPage(listPage, brand)

const listPage: DocsPage = {
  title: 'Problems',
  content: (
    <>
      <h1>Problems</h1>
      <p>
        Every API error is a problem document (RFC 9457) with one of these values in{' '}
        <code>code</code>.
      </p>
      <div class="card">
        <Table
          caption="Problem codes"
          columns={[
            { name: 'Status', show: ([, { status }]) => status },
            {
              name: 'Code',
              show: ([code]) => (
                <a class="standalone" href={`/problems/${code}`}>
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
    </>
  ),
}

/** `GET /problems/{code}`: explains a problem code and what to do. */
export function showProblem(brand: Brand): RequestHandler {
  const pages: ReadonlyMap<unknown, RequestHandler> = new Map(
    entries.map((entry) => [entry[0], serveDocsPage(pageOf(entry), brand)]),
  )
  return (req, res, next) => {
    const show = pages.get(req.params['code'])
    if (!show) throw notFound()
    return show(req, res, next)
  }
}

const pageOf = ([code, { status, title, explanation }]: (typeof entries)[number]): DocsPage => ({
  title,
  content: (
    <>
      <p>
        <a class="standalone" href="/problems">
          All problems
        </a>
      </p>
      <h1>{title}</h1>
      <p>
        <code>{code}</code> · HTTP {status}
      </p>
      <p>
        <Prose text={explanation} />
      </p>
    </>
  ),
})
