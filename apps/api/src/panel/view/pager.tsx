/** Pagination links: the next page, and back to the first. Cursors only go forward. */
export function Pager({ next, url }: { next: string | null; url: string }) {
  const here = new URL(url, 'http://panel')
  const isFirst = !here.searchParams.has('cursor')
  if (isFirst && next === null) return null
  const at = (cursor: string | null): string => {
    const query = new URLSearchParams(here.searchParams)
    query.delete('cursor')
    if (cursor !== null) query.set('cursor', cursor)
    return query.size === 0 ? here.pathname : `${here.pathname}?${query}`
  }
  return (
    <nav class="buttons" aria-label="Pages">
      {!isFirst && (
        <a class="button small" href={at(null)}>
          Newest
        </a>
      )}
      {next !== null && (
        <a class="button small" href={at(next)} rel="next">
          Older
        </a>
      )}
    </nav>
  )
}
