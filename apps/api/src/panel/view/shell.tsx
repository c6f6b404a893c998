import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import type { SessionCaller } from '../../api/access/caller.ts'
import { unreadNoticesMax, usePage } from './context.ts'
import { DensitySwitch, ThemeSwitch, TimesSwitch } from './appearance-switches.tsx'
import { ActionButton } from './form.tsx'
import { BrandMark } from './brand.tsx'
import { CommandMenu } from './command-menu.tsx'
import { Icon } from './icon.tsx'
import { UpdateMs } from './live.tsx'
import { accountItems, navigationItems, type Destination } from './navigation.ts'
import { SecondFactorBanner } from './second-factor-banner.tsx'
import { Shortcuts, ShortcutsButton } from './shortcuts.tsx'

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
