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
    const text = (pageRequest.query['q'] ?? '').trim().slice(0, 100)
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
