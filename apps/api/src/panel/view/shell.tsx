import type { PermissionName } from '@hosting/core'
import type { ComponentChildren } from 'preact'
import type { SessionCaller } from '../../http/caller.ts'
import { usePage } from './context.ts'
import { ActionButton } from './form.tsx'
import { Icon, Mark, type IconName } from './icon.tsx'

interface Place {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  readonly permission?: PermissionName
}

const places: readonly Place[] = [
  { path: '/', name: 'Overview', icon: 'overview' },
  { path: '/keys', name: 'API keys', icon: 'key', permission: 'apikeys.read' },
  { path: '/webhooks', name: 'Webhooks', icon: 'webhook', permission: 'webhooks.read' },
  { path: '/deliveries', name: 'Deliveries', icon: 'delivery', permission: 'webhooks.read' },
  { path: '/audit', name: 'Audit log', icon: 'audit', permission: 'audit.read' },
]

const ownPlaces: readonly Place[] = [
  { path: '/device', name: 'Connect a device', icon: 'terminal', permission: 'apikeys.create' },
  { path: '/security', name: 'Security', icon: 'shield' },
]

/** The navigation around a page for signed-in people. */
export function Shell({
  caller,
  children,
}: {
  caller: SessionCaller
  children: ComponentChildren
}) {
  const { user, tenant, session } = caller
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
          <ActionButton action="stop-impersonation" to="/sign-out" look="small">
            Stop impersonating
          </ActionButton>
        </section>
      )}
      <header class="bar">
        <a class="brand" href="/">
          <Mark />
          Hosting Control
        </a>
        <button type="button" class="button small menu-button" popovertarget="menu">
          <Icon name="menu" />
          Menu
        </button>
      </header>
      <nav class="menu" id="menu" popover="auto" aria-label="Panel">
        <p class="links-title">{tenant.name}</p>
        <Links places={places} />
        <p class="links-title">Your account</p>
        <Links places={ownPlaces} />
        <div class="me">
          <p class="small">
            <span class="me-name">{user.name}</span>
            <span class="under">{user.email}</span>
          </p>
          <ActionButton action="sign-out" to="/sign-out" look="small wide">
            Sign out
          </ActionButton>
        </div>
      </nav>
      <div class="page">
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  )
}

function Links({ places: all }: { places: readonly Place[] }) {
  const { url, may } = usePage()
  const path = url.split('?')[0]!
  return (
    <ul class="links">
      {all
        .filter(({ permission }) => permission === undefined || may(permission))
        .map((place) => (
          <li key={place.path}>
            <a href={place.path} aria-current={currentOf(place.path, path)}>
              <Icon name={place.icon} />
              {place.name}
            </a>
          </li>
        ))}
    </ul>
  )
}

function currentOf(place: string, path: string): 'page' | 'true' | undefined {
  if (place === path) return 'page'
  return place !== '/' && path.startsWith(`${place}/`) ? 'true' : undefined
}
