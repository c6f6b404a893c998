import { usePage } from './context.ts'

/** Tabs of a record. Each is a page of its own, so it can be linked to and opened in another window. */
export const Tabs = ({
  label,
  tabs,
}: {
  label: string
  tabs: readonly (readonly [name: string, path: string])[]
}) => {
  const path = usePage().url.split('?')[0]
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map(([name, to]) => (
          <li key={to}>
            <a href={to} aria-current={to === path ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
