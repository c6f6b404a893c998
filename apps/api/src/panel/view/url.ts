/** A page's address with its query, for the links to further pages. */
export const urlOf = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query)}`
