import { internalProblems, problemCatalog } from '@hosting/core/problems'
import { Table } from '@hosting/html'
import { Prose, type DocsPage } from './page.tsx'
import type { Audience } from './site.ts'

type ProblemOfCatalog = readonly [
  code: string,
  entry: { readonly status: number; readonly title: string; readonly explanation: string },
]

const allProblems: readonly ProblemOfCatalog[] = Object.entries(problemCatalog)

/** The list of the problem codes, and a page for each. Customers see those of the public API. */
export function problemPages(audience: Audience): DocsPage[] {
  const shown = allProblems.filter(
    ([code]) => audience === 'platform' || !internalProblems.has(code),
  )
  return [listPage(shown), ...shown.map(pageOf)]
}

const menuPath = '/docs/problems'

const listPage = (problems: readonly ProblemOfCatalog[]): DocsPage => ({
  path: '/problems',
  menuPath,
  title: 'Problem codes',
  content: (
    <>
      <h1>Problem codes</h1>
      <p>
        Every API error is a problem document (RFC 9457) with one of these values in{' '}
        <code>code</code>.
      </p>
      <div class="card">
        <Table
          caption="Problem codes"
          columns={[
            {
              name: 'Code',
              show: ([code]) => (
                <a class="standalone" href={`/problems/${code}`}>
                  <code>{code}</code>
                </a>
              ),
            },
            { name: 'Status', show: ([, { status }]) => status },
            { name: 'Title', show: ([, { title }]) => title },
          ]}
          rows={problems}
          keyOf={([code]) => code}
        />
      </div>
    </>
  ),
})

/** What the code means and what to do. */
const pageOf = ([code, { status, title, explanation }]: ProblemOfCatalog): DocsPage => ({
  path: `/problems/${code}`,
  menuPath,
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
