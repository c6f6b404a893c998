import type { Resource } from './permissions.ts'

/** What each resource covers, for people who choose scopes. */
export const resourceDescriptions: Readonly<Record<Resource, string>> = {
  accounts: 'Hosting accounts: plans, quotas, files and terminals',
  alerts: 'Alert rules, and alerts that fire',
  apikeys: 'API keys of the user, and of the organization if the role permits it',
  audit: 'The audit log',
  backups: 'Backups, downloads and restores',
  databases: 'Databases and their users',
  dns: 'DNS zones and records',
  jobs: 'Jobs, and their results',
  mail: 'Mailboxes, aliases and forwarding',
  observability: 'Metrics, logs and traces',
  plans: 'Hosting plans',
  runtime: 'PHP versions and application runtimes',
  security: 'Firewalls, malware scans and security policies',
  servers: 'Servers and their enrollment',
  sftp: 'SFTP users and keys',
  sites: 'Sites, domains and certificates',
  storage: 'Storage volumes and usage',
  tenant: 'Settings of the organization',
  updates: 'Updates of the platform',
  users: 'Users, roles and invitations',
  waitlist: 'The waiting list for new customers',
  webhooks: 'Webhook endpoints, deliveries and events',
}
