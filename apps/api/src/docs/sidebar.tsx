/** A heading of a page, to which the page's contents link. */
export interface Heading {
  readonly id: string
  readonly text: string
}

/** A link of the menu. */
export type MenuLink = readonly [path: string, name: string]

/** A section of the menu. */
export interface MenuSection {
  readonly title: string
  readonly links: readonly MenuLink[]
}

/** The longest query of the search. */
export const queryLengthMax = 100

/** The search over the whole documentation. */
export const SearchForm = ({ query }: { query: string }) => (
  <form role="search" action="/docs/search" method="get">
    <label for="q" class="visually-hidden">
      Search the documentation
    </label>
    <input
      type="search"
      id="q"
      name="q"
      value={query}
      maxLength={queryLengthMax}
      placeholder="Search the documentation"
      aria-keyshortcuts="/"
    />
    <button type="submit">Search</button>
  </form>
)

interface SidebarParts {
  readonly menu: readonly MenuSection[]
  readonly path: string
  readonly contents: readonly Heading[]
}

/** The menu of the documentation, with the contents of the current page below its link. */
export function Sidebar({ menu, path, contents }: SidebarParts) {
  // A page that is in no section, such as the start page, shows all of them.
  const isOutside = !menu.some(({ links }) => links.some(([target]) => target === path))
  return (
    <>
      {/* On small screens, it shows and hides the menu, which follows it. */}
      <details class="menu">
        <summary>Menu</summary>
      </details>
      <nav class="aside" aria-label="Documentation">
        {menu.map(({ title, links }) => (
          <details key={title} open={isOutside || links.some(([target]) => target === path)}>
            <summary>{title}</summary>
            <ul>
              {links.map(([target, name]) => (
                <li key={target}>
                  <a href={target} aria-current={target === path ? 'page' : undefined}>
                    {name}
                  </a>
                  {target === path && contents.length > 1 && (
                    <ul>
                      {contents.map(({ id, text }) => (
                        <li key={id}>
                          <a href={`#${id}`}>{text}</a>
                        </li>
                      ))}
                    </ul>
                  )}
                </li>
              ))}
            </ul>
          </details>
        ))}
      </nav>
    </>
  )
}
