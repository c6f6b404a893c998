import { exportedMax } from '@hosting/core/lists'
import type { Filter } from './filters.tsx'
import { urlOf } from './url.ts'
import { toUtcMoment } from './moments.ts'

/** Links that download a list with its filters as a file. */
export function ExportLinks({
  path,
  fields,
  query,
}: {
  /** The list in the API. */
  path: string
  fields: readonly Filter[]
  /** The query of the page. */
  query: Readonly<Record<string, string>>
}) {
  const filters = Object.fromEntries(
    fields.flatMap(({ name }) => (query[name] === undefined ? [] : [[name, query[name]]])),
  )
  const moments = Object.fromEntries(
    ['since', 'until'].flatMap((name) => {
      const moment = toUtcMoment(filters[name])
      return moment === undefined ? [] : [[name, moment]]
    }),
  )
  const link = (format: string) => urlOf(`/api/v1${path}`, { ...filters, ...moments, format })
  return (
    <>
      Export as <a href={link('csv')}>CSV</a> or <a href={link('jsonl')}>JSON Lines</a>, up to{' '}
      {exportedMax.toLocaleString('en')} records.
    </>
  )
}
