import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import { usePage } from './context.ts'

// The components that all pages share.

type Tone = 'ok' | 'warn' | 'bad' | 'info'

/** A status label. The color repeats what the text says. */
export const Badge = ({ tone, children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone ?? ''}`}>{children}</span>
)

/** A row of short texts, such as scopes. */
export const Chips = ({ items }: { items: readonly string[] }) => (
  <span class="chips">
    {items.map((item) => (
      <code key={item}>{item}</code>
    ))}
  </span>
)

/** A message that the reader must see. `live`: screen readers announce it immediately. */
export const Alert = ({
  tone = 'info',
  title,
  live = false,
  children,
}: {
  tone?: Tone
  title?: string
  live?: boolean
  children?: ComponentChildren
}) => (
  <div class={`alert ${tone}`} role={live ? 'alert' : undefined}>
    <Icon name={tone === 'ok' ? 'check' : tone === 'info' ? 'info' : 'alert'} />
    <div>
      {title !== undefined && <strong>{title}</strong>}
      {children !== undefined && <div>{children}</div>}
    </div>
  </div>
)

/** A section of a page with a heading. */
export const Card = ({
  title,
  hint,
  aside,
  foot,
  flush = false,
  children,
}: {
  title?: string
  hint?: ComponentChildren
  aside?: ComponentChildren
  foot?: ComponentChildren
  /** Removes the padding, for tables. */
  flush?: boolean
  children: ComponentChildren
}) => (
  <section class="card">
    {title !== undefined && (
      <div class="card-head">
        <h2>{title}</h2>
        {aside}
        {hint !== undefined && <p>{hint}</p>}
      </div>
    )}
    <div class={flush ? 'card-table' : 'card-body'}>{children}</div>
    {foot ? <div class="card-foot">{foot}</div> : null}
  </section>
)

/** A list of names and values. */
export const DescriptionList = ({
  items,
}: {
  items: readonly (readonly [string, ComponentChildren])[]
}) => (
  <dl class="facts">
    {items.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** What an empty list shows: what belongs here, and how to create it. */
export const EmptyState = ({
  icon,
  title,
  action,
  children,
}: {
  icon: IconName
  title: string
  action?: ComponentChildren
  children: ComponentChildren
}) => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </div>
)

/** A link styled as a button. */
export const LinkButton = ({
  to,
  variant = '',
  children,
}: {
  to: string
  variant?: string
  children: ComponentChildren
}) => (
  <a class={`button ${variant}`} href={to}>
    {children}
  </a>
)

/** The header of a page: breadcrumbs, its only h1, and actions. */
export const PageHeader = ({
  title,
  crumbs = [],
  badge,
  actions,
  children,
}: {
  title: string
  crumbs?: readonly (readonly [name: string, path: string])[]
  badge?: ComponentChildren
  actions?: ComponentChildren
  children?: ComponentChildren
}) => (
  <header class="head">
    {crumbs.length > 0 && (
      <nav class="crumbs" aria-label="Breadcrumb">
        <ol>
          {crumbs.map(([name, path]) => (
            <li key={path}>
              <a href={path}>{name}</a>
            </li>
          ))}
        </ol>
      </nav>
    )}
    <div class="head-row">
      <div class="head-title">
        <h1>{title}</h1>
        {badge}
      </div>
      {actions !== undefined && <div class="buttons">{actions}</div>}
    </div>
    {children !== undefined && <p>{children}</p>}
  </header>
)

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
