import type { ItemOf } from '@hosting/sdk'
import { signedInClient } from './auth/sign-in.ts'
import { command } from './command.ts'
import { omitUndefined, choice, pastTime, text } from './options.ts'
import { csvOption, printCsv } from './terminal/csv.ts'
import { listOptions, pageSize, printList } from './terminal/list.ts'
import { optional, state, time, truncated, type Columns } from './terminal/table.ts'

export const audit = command({
  path: 'audit',
  summary: 'List audit entries, newest first',
  examples: [
    'hctl audit --since 24h',
    'hctl audit --action api_key.create',
    'hctl audit --since 30d --csv',
  ],
  options: {
    action: text('action', 'Only this action, for example api_key.create', {
      values: 'action',
    }),
    key: text('id', 'Only entries with this key as actor or target', {
      field: 'key_id',
      values: 'any-key',
    }),
    actor: text('id', 'Only entries of this user', { field: 'actor_id', values: 'actor' }),
    target: text('id', 'Only entries about the record with this id', { field: 'target_id' }),
    targetType: text('type', 'Only entries about records of this type, for example webhook', {
      field: 'target_type',
    }),
    outcome: choice(['success', 'refused'], 'Only entries with this outcome'),
    address: text('ip', 'Only entries of requests from this IP address', { field: 'ip' }),
    find: text('text', 'Only entries in which a name contains this text', { field: 'q' }),
    since: pastTime('At or after'),
    until: pastTime('Before'),
    ...listOptions,
    ...csvOption,
  },
  async run(context, inputs) {
    const { limit, csv, action, key, actor, target, targetType, address, find, ...others } = inputs
    const filter = omitUndefined({
      action,
      key_id: key,
      actor_id: actor,
      target_id: target,
      target_type: targetType,
      ip: address,
      q: find,
      ...others,
    })
    const noun = 'audit entries'
    if (csv) return printCsv(context, { path: '/audit-log', query: filter, limit, noun })
    const query = { ...filter, limit: pageSize(limit) }
    const events = (await signedInClient(context)).items('/audit-log', { params: { query } })
    await printList(context.output, events, { limit, columns, noun })
  },
})

type Entry = ItemOf<'/audit-log'>

/** The words of the panel. */
const outcomeLabel = ({ outcome, reason }: Entry): string =>
  outcome === 'success' ? 'Success' : `Refused: ${reason}`

const columns: Columns<Entry> = {
  time: time(({ occurred_at }) => occurred_at),
  action: truncated(({ action }) => action, 20),
  outcome: { ...state(outcomeLabel), widthMin: 10 },
  actor: truncated(
    ({ actor: { name, type } }) => name ?? (type === 'system' ? 'System' : 'Unknown'),
    10,
  ),
  key: optional(({ actor }) => actor.key_id),
  target: optional(({ target }) => target.id),
  ip: optional(({ ip }) => ip),
}
