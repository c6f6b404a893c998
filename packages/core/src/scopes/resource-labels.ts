import type { Resource } from './permissions.ts'

/** A resource for people who choose scopes: its name, and what it covers. */
export interface ResourceLabel {
  readonly name: string
  readonly covers: string
}

/** The names of the resources, and what each covers. */
export const resourceLabels: Readonly<Record<Resource, ResourceLabel>> = {
  accounts: { name: 'Accounts', covers: 'Plans, quotas, files and terminals of hosting accounts' },
  alerts: { name: 'Alerts', covers: 'Alert rules, and alerts that fire' },
  apikeys: {
    name: 'API keys',
    covers: 'Keys of the user, and of the organization if the role permits it',
  },
  audit: { name: 'Audit log', covers: 'Who did what, and when' },
  backups: { name: 'Backups', covers: 'Backups, downloads and restores' },
  databases: { name: 'Databases', covers: 'Databases and their users' },
  dns: { name: 'DNS', covers: 'Zones and records' },
  jobs: { name: 'Jobs', covers: 'Jobs and their results' },
  mail: { name: 'Mail', covers: 'Mailboxes, aliases and forwarding' },
  observability: { name: 'Observability', covers: 'Metrics, logs and traces' },
  plans: { name: 'Plans', covers: 'Hosting plans' },
  runtime: { name: 'Runtimes', covers: 'PHP versions and application runtimes' },
  security: { name: 'Security', covers: 'Firewalls, malware scans and security policies' },
  servers: { name: 'Servers', covers: 'Servers and their enrollment' },
  sftp: { name: 'SFTP', covers: 'Users and their keys' },
  sites: { name: 'Sites', covers: 'Sites, domains and certificates' },
  storage: { name: 'Storage', covers: 'Volumes and usage' },
  tenant: { name: 'Organization', covers: 'Its settings' },
  updates: { name: 'Updates', covers: 'Updates of the platform' },
  users: { name: 'Users', covers: 'People, roles and invitations' },
  waitlist: { name: 'Waiting list', covers: 'Customers who wait for an account' },
  webhooks: { name: 'Webhooks', covers: 'Endpoints, deliveries and events' },
}
