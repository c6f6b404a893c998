import type { PermissionName } from '@hosting/core/scopes'
import type { IconName } from './icon.tsx'

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
  { path: '/webhooks', name: 'Webhooks', icon: 'webhook', permission: 'webhooks.read' },
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
