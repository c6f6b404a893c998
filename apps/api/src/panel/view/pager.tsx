/**
 * Pagination links. Cursors only go forward, so the URL also contains the cursors of the pages between the first
 * page and this one, for the way back.
 */
export function Pager({ next, url }: { next: string | null; url: string }) {
  const here = new URL(url, 'http://panel')
  const cursor = here.searchParams.get('cursor')
  if (cursor === null && next === null) return null
  const trail = here.searchParams.get('trail')?.split('.') ?? []
  const at = (to: string | null, before: readonly string[] = []): string => {
    const query = new URLSearchParams(here.searchParams)
    for (const name of ['cursor', 'trail']) query.delete(name)
    if (to !== null) query.set('cursor', to)
    if (before.length > 0) query.set('trail', before.join('.'))
    return query.size === 0 ? here.pathname : `${here.pathname}?${query}`
  }
  return (
    <nav class="buttons" aria-label="Pages">
      {cursor !== null && (
        <>
          <a class="button small" href={at(null)}>
            Newest
          </a>
          {trail.at(-1) !== omitted && (
            <a class="button small" href={at(trail.at(-1) ?? null, trail.slice(0, -1))} rel="prev">
              Newer
            </a>
          )}
        </>
      )}
      {next !== null && (
        <a
          class="button small"
          href={at(next, cursor === null ? [] : shortened([...trail, cursor]))}
          rel="next"
        >
          Older
        </a>
      )}
    </nav>
  )
}

/** Stands for the pages that are no longer in the URL. Not a character of cursors. */
const omitted = '~'
const trailMax = 30

const shortened = (trail: readonly string[]): readonly string[] =>
  trail.length > trailMax ? [omitted, ...trail.slice(1 - trailMax)] : trail
