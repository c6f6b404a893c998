import { keyNameLengthMax } from '@hosting/core/api-keys'
import { page } from '../../page.ts'
import { PageHeader } from '../../view/components.tsx'
import { PanelSearch } from '../../view/command-menu.tsx'
import { Icon } from '../../view/icon.tsx'
import { find, foundAny, type FoundGroup } from './find.ts'

/** Leads to pages, actions and records. The command menu shows what it finds. */
export const searchPage = page({
  path: '/search',
  access: 'session',
  async show(pageRequest) {
    const text = cut((pageRequest.query['q'] ?? '').trim())
    const groups = await find(pageRequest, text)
    return {
      title: 'Search',
      body: (
        <div class="search-page">
          <PageHeader title="Search" />
          <PanelSearch id="search-text" value={text} />
          <div id="found">
            {!groups.some(foundAny) && <p class="found-nothing">Nothing matches “{text}”.</p>}
            {groups.map((group) => (
              <Group key={group.name} group={group} />
            ))}
          </div>
        </div>
      ),
    }
  },
})

/** The beginning of a text, as long as a text may be that the list of keys takes. Splits no character. */
const cut = (text: string): string =>
  Array.from(text.toWellFormed()).slice(0, keyNameLengthMax).join('')

const Group = ({ group: { name, items, error } }: { group: FoundGroup }) => (
  <section>
    <h2 class="links-title">{name}</h2>
    {error !== undefined && <p class="found-nothing">{error}</p>}
    <ul class="links">
      {items.map((item) => (
        <li key={item.path}>
          <a href={item.path}>
            <Icon name={item.icon} />
            <bdi>{item.name}</bdi>
            {item.details !== undefined && <span class="under">{item.details}</span>}
          </a>
        </li>
      ))}
    </ul>
  </section>
)
