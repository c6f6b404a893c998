import type { ComponentChildren } from 'preact'
import type { MenuLink } from './sidebar.tsx'

/** Outlines on a grid of 24 units. */
const icons = {
  endpoint: 'M12 3v11m0 0-4-4m4 4 4-4M4 15v4a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-4',
  code: 'm8 8-4 4 4 4m8-8 4 4-4 4M14 5l-4 14',
  terminal:
    'M4 5h16a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1Zm3 5 2.5 2L7 14m5 1h4',
  cycle:
    'M20 11a8 8 0 0 0-14.3-4.3L4 8.5M4 4v4.5h4.5M4 13a8 8 0 0 0 14.3 4.3L20 15.5m0 4.5v-4.5h-4.5',
  brush: 'M4 20c2 0 4-1 4-3.5A2.5 2.5 0 0 1 13 17c0 2.5-3 4-9 3Zm6-6L19 4l1.5 1.5L12.5 16',
  chart: 'M4 4v16h16M8 16v-4m4 4V8m4 8v-6',
} as const

interface DoorParts {
  readonly id: string
  readonly icon: keyof typeof icons
  readonly title: string
  readonly start: MenuLink
  readonly links: readonly MenuLink[]
  readonly children: ComponentChildren
}

/** A way into the documentation. */
export const Door = ({ id, icon, title, start: [path, name], links, children }: DoorParts) => (
  <section class="card" aria-labelledby={id}>
    <svg class="door-icon" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path d={icons[icon]} />
    </svg>
    <h2 id={id}>{title}</h2>
    <p>{children}</p>
    <ul class="links">
      {[[path, name] as const, ...links].map(([target, text], index) => (
        <li key={target} class={index === 0 ? 'start' : undefined}>
          <a href={target}>{text}</a>
        </li>
      ))}
    </ul>
  </section>
)
