import type { AuditChoices } from '../../../api/for-pages.ts'
import { listAuditEventsRoute } from '../../../api/routes/audit-log.ts'
import { readFiltered } from '../../filtered.ts'
import type { SignedInRequest } from '../../page.ts'
import type { Filter } from '../../view/filters.tsx'
import { toUtcMoment } from '../../view/moments.ts'
import { actionName } from './sentences.tsx'

/** The filters. A value in the URL that no entry has is still a choice, so that it stays chosen. */
export function auditFiltersOf(
  { actions, actors }: AuditChoices,
  { action, actor_id }: Readonly<Record<string, string>>,
): readonly Filter[] {
  const isShared = (name: string | null) => actors.filter((each) => each.name === name).length > 1
  const people = actors.map(({ id, name, email }) => ({
    value: id,
    label: isShared(name) && email !== null ? `${name} (${email})` : (name ?? id),
  }))
  return [
    {
      name: 'action',
      label: 'Action',
      choices: [
        { value: '', label: 'Any action' },
        ...[...new Set([...actions, ...(action === undefined ? [] : [action])])].map((value) => ({
          value,
          label: actionName(value),
        })),
      ],
    },
    {
      name: 'actor_id',
      label: 'Person',
      choices: [
        { value: '', label: 'Anyone' },
        ...people,
        ...(actor_id === undefined || people.some(({ value }) => value === actor_id)
          ? []
          : [{ value: actor_id, label: actor_id }]),
      ],
    },
    { name: 'key_id', label: 'Key ID', noun: 'a key ID (12 letters and digits)' },
    {
      name: 'outcome',
      label: 'Outcome',
      choices: [
        { value: '', label: 'Any outcome' },
        { value: 'success', label: 'Success' },
        { value: 'refused', label: 'Refused' },
      ],
    },
    { name: 'q', label: 'Name' },
    { name: 'ip', label: 'Address', noun: 'an IP address' },
    {
      name: 'target_type',
      label: 'Target',
      choices: [{ value: '', label: 'Any target' }, ...targetTypes],
    },
    { name: 'target_id', label: 'Target ID' },
    { name: 'since', label: 'From', type: 'datetime-local' },
    { name: 'until', label: 'Before', type: 'datetime-local' },
  ]
}

/** The types of targets. */
const targetTypes = [
  { value: 'api_key', label: 'API key' },
  { value: 'webhook', label: 'Endpoint' },
  { value: 'delivery', label: 'Delivery' },
  { value: 'user', label: 'User' },
  { value: 'session', label: 'Session' },
  { value: 'device_request', label: 'Device login' },
  { value: 'account', label: 'Account' },
  { value: 'tenant', label: 'Organization' },
]

/** The filters that can be saved. */
export const savableAuditFilters = {
  path: '/audit',
  names: auditFiltersOf({ actions: [], actors: [] }, {}).map(({ name }) => name),
}

/** Reads the entries that match the filters. */
export const readAuditEntries = (
  call: SignedInRequest['call'],
  query: SignedInRequest['query'],
  fields: readonly Filter[],
) =>
  readFiltered({ fields, values: query }, () => {
    const names = [...savableAuditFilters.names, 'cursor']
    const values = Object.fromEntries(names.map((name) => [name, query[name]]))
    const [since, until] = [toUtcMoment(query['since']), toUtcMoment(query['until'])]
    return call(listAuditEventsRoute, { query: { ...values, since, until } })
  })
