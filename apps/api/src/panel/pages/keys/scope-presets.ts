import type { Scope } from '@hosting/core/scopes'

/** A set of scopes for a common purpose. */
export interface ScopePreset {
  /** Its name in links. */
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly scopes: readonly Scope[]
}

/** The presets of the scope picker. */
export const scopePresets: readonly ScopePreset[] = [
  {
    id: 'read-only',
    label: 'Read only',
    hint: 'Reads everything, changes nothing',
    scopes: ['*:read'],
  },
  {
    id: 'deploy',
    label: 'Deploy',
    hint: 'Changes sites, databases and runtimes, reads jobs',
    scopes: ['sites:write', 'databases:write', 'runtime:write', 'jobs:read'],
  },
  { id: 'dns', label: 'DNS', hint: 'Changes zones and records', scopes: ['dns:write'] },
  {
    id: 'webhooks',
    label: 'Webhooks',
    hint: 'Manages endpoints, redelivers events',
    scopes: ['webhooks:write'],
  },
  {
    id: 'monitoring',
    label: 'Monitoring',
    hint: 'Reads alerts, metrics, servers, sites, jobs, backups and deliveries',
    scopes: [
      'alerts:read',
      'observability:read',
      'servers:read',
      'sites:read',
      'jobs:read',
      'backups:read',
      'webhooks:read',
    ],
  },
  { id: 'none', label: 'None', hint: 'Starts with no scope', scopes: [] },
]
