/** A page's URL with its query, for pagination links. */
export const urlOf = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query)}`
