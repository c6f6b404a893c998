import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import type { SessionCaller } from '../../api/access/caller.ts'
import { unreadNoticesMax, usePage } from './context.ts'
import { DensitySwitch, ThemeSwitch, TimesSwitch } from './appearance-switches.tsx'
import { ActionButton } from './form.tsx'
import { CommandMenu } from './command-menu.tsx'
import { Icon, Mark, type IconName } from './icon.tsx'
import { UpdateMs } from './live.tsx'
import { SecondFactorBanner } from './second-factor-banner.tsx'
import type { PermissionName } from '@hosting/core/scopes'

const shortcuts = [
  [['Ctrl', 'K'], 'Open the command menu'],
  [['/'], 'Go to the search field'],
  [['j'], 'Next row of a list'],
  [['k'], 'Previous row of a list'],
  [['Enter'], 'Open the row'],
  [['?'], 'Show these shortcuts'],
] as const

/** Shows the shortcuts. Without scripts there are none. */
const ShortcutsButton = () => (
  <button type="button" class="button small wide" data-shortcuts data-scripted hidden>
    Keyboard shortcuts
  </button>
)

/** The list of shortcuts. Those without Ctrl can be turned off, as WCAG 2.1.4 requires. */
const Shortcuts = () => (
  <dialog class="shortcuts" id="shortcuts" aria-labelledby="shortcuts-title">
    <h2 id="shortcuts-title">Keyboard shortcuts</h2>
    <dl>
      {shortcuts.map(([keys, description]) => (
        <div key={description}>
          <dt>{description}</dt>
          <dd>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
    <label class="check">
      <input type="checkbox" data-single-keys />
      <span>Use shortcuts of a single character in this browser</span>
    </label>
    <form method="dialog">
      <button type="submit" class="button">
        Close
      </button>
    </form>
  </dialog>
)

/** A page that people go to from anywhere. */
export interface Destination {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  readonly permission?: PermissionName
}

/** The pages of the organization in the navigation. */
export const navigationItems: readonly Destination[] = [
  { path: '/', name: 'Overview', icon: 'overview' },
  { path: '/keys', name: 'API keys', icon: 'key', permission: 'apikeys.read' },
  { path: '/webhooks', name: 'Webhooks', icon: 'endpoint', permission: 'webhooks.read' },
  { path: '/events', name: 'Events', icon: 'event', permission: 'webhooks.read' },
  { path: '/deliveries', name: 'Deliveries', icon: 'delivery', permission: 'webhooks.read' },
  { path: '/audit', name: 'Audit log', icon: 'audit', permission: 'audit.read' },
  { path: '/organization', name: 'Organization', icon: 'organization', permission: 'tenant.read' },
]

/** The pages of the person in the navigation. */
export const accountItems: readonly Destination[] = [
  { path: '/device', name: 'Connect a device', icon: 'terminal', permission: 'apikeys.create' },
  { path: '/security', name: 'Security', icon: 'shield' },
  { path: '/docs', name: 'Documentation', icon: 'book' },
]

/** The navigation around a page for signed-in people. */
export function Shell({
  caller,
  children,
}: {
  caller: SessionCaller
  children: ComponentChildren
}) {
  const { user, session } = caller
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to content
      </a>
      {session.impersonator && (
        <section class="impersonation" aria-label="Impersonation">
          <span>
            {session.impersonator.name}, you are impersonating <strong>{user.name}</strong>. The
            audit log records both names.
          </span>
          <ActionButton action="stop-impersonation" to="/sign-out" variant="small">
            Stop impersonating
          </ActionButton>
        </section>
      )}
      <header class="bar">
        <a class="brand" href="/">
          <BrandMark />
        </a>
        <Bell />
        <button type="button" class="button small menu-button" popovertarget="menu">
          <Icon name="menu" />
          Menu
        </button>
      </header>
      <Menu caller={caller} />
      <div class="page">
        <main id="content" tabIndex={-1}>
          <SecondFactorBanner caller={caller} />
          {children}
        </main>
      </div>
      <CommandMenu />
      <Shortcuts />
    </div>
  )
}

/** The navigation: a column on wide screens, and elsewhere what the button “Menu” opens. */
const Menu = ({ caller: { user, tenant } }: { caller: SessionCaller }) => (
  <nav class="menu popup" id="menu" popover="auto" aria-label="Panel">
    <SearchLink />
    <p class="links-title">{tenant.name}</p>
    <Links items={navigationItems} />
    <p class="links-title">Your account</p>
    <Links items={accountItems} />
    <details class="me">
      <summary>
        <span>
          <span class="me-name">{user.name}</span>
          <span class="under" title={user.email ?? undefined}>
            {user.email}
          </span>
        </span>
      </summary>
      <div class="me-menu">
        <ThemeSwitch />
        <DensitySwitch />
        <TimesSwitch />
        <ShortcutsButton />
        <ActionButton action="sign-out" to="/sign-out" variant="small wide">
          Sign out
        </ActionButton>
      </div>
    </details>
  </nav>
)

/** The link to the search. With scripts, it opens the command menu. */
function SearchLink() {
  const isCurrent = usePage().url.split('?')[0] === '/search'
  return (
    <a
      class="search-link"
      href="/search"
      data-command-menu
      aria-current={isCurrent ? 'page' : undefined}
    >
      <Icon name="search" size={16} />
      Search
      <kbd data-scripted hidden>
        Ctrl K
      </kbd>
    </a>
  )
}

/** The link to the notices, with the number of unread ones. */
function Bell() {
  const { url, unreadNotices } = usePage()
  const updateMs = useContext(UpdateMs)
  const isCurrent = url.split('?')[0] === '/notices'
  const count =
    unreadNotices < unreadNoticesMax ? String(unreadNotices) : `${unreadNoticesMax - 1}+`
  return (
    <a
      class="bell"
      id="bell"
      href="/notices"
      aria-current={isCurrent ? 'page' : undefined}
      data-live={updateMs}
    >
      <Icon name="bell" size={20} />
      <span class="visually-hidden">Notices</span>
      {unreadNotices > 0 && (
        <span class="bell-count">
          {count}
          <span class="visually-hidden"> unread</span>
        </span>
      )}
    </a>
  )
}

function Links({ items }: { items: readonly Destination[] }) {
  const { url, may } = usePage()
  const path = url.split('?')[0]!
  return (
    <ul class="links">
      {items
        .filter(({ permission }) => permission === undefined || may(permission))
        .map((item) => (
          <li key={item.path}>
            <a href={item.path} aria-current={currentOf(item.path, path)}>
              <Icon name={item.icon} />
              {item.name}
            </a>
          </li>
        ))}
    </ul>
  )
}

function currentOf(itemPath: string, path: string): 'page' | 'true' | undefined {
  if (itemPath === path) return 'page'
  return itemPath !== '/' && path.startsWith(`${itemPath}/`) ? 'true' : undefined
}

/** The logo and the name of the company. */
export function BrandMark() {
  const { name, logo } = usePage().brand
  return (
    <>
      {logo ? <img src={logo.url} alt="" height="26" /> : <Mark />}
      {name}
    </>
  )
}
