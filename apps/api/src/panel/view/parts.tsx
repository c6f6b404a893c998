import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

// The parts that pages are put together from.

type Tone = 'ok' | 'warn' | 'bad' | 'info'

/** A state in a word; its colour only repeats it. */
export const Badge = ({ tone, children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone ?? ''}`}>{children}</span>
)

/** Texts of one kind in a row, such as scopes. */
export const Chips = ({ items }: { items: readonly string[] }) => (
  <span class="chips">
    {items.map((item) => (
      <code key={item}>{item}</code>
    ))}
  </span>
)

/** What the reader must know of before going on. `said`: spoken by screen readers at once. */
export const Alert = ({
  tone = 'info',
  title,
  said = false,
  children,
}: {
  tone?: Tone
  title?: string
  said?: boolean
  children?: ComponentChildren
}) => (
  <div class={`alert ${tone}`} role={said ? 'alert' : undefined}>
    <Icon name={tone === 'ok' ? 'check' : tone === 'info' ? 'info' : 'alert'} />
    <div>
      {title !== undefined && <strong>{title}</strong>}
      {children !== undefined && <div>{children}</div>}
    </div>
  </div>
)

/** A section of a page, with its heading. */
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
  /** Lets the content reach the card's edges, as tables do. */
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
    {foot !== undefined && <div class="card-foot">{foot}</div>}
  </section>
)

/** Names with their values. */
export const Facts = ({ items }: { items: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {items.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** What a list shows that has nothing: what would stand here, and how it comes to. */
export const Empty = ({
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

/** A link that looks like a button. */
export const LinkButton = ({
  to,
  look = '',
  children,
}: {
  to: string
  look?: string
  children: ComponentChildren
}) => (
  <a class={`button ${look}`} href={to}>
    {children}
  </a>
)

/** The head of a page: where it stands, its one h1, what may be done. */
export const Head = ({
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
