import type { ItemOf } from '@hosting/sdk'
import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { defined } from '../defined.ts'
import { pastTime, text } from '../options.ts'
import { listOptions, pageSize, printList } from '../output/list.ts'
import type { Columns } from '../output/table.ts'
import { showTime } from '../output/times.ts'

export const audit = command({
  path: 'audit',
  summary: 'List who did what, newest first',
  options: {
    action: text('action', 'Of this action alone, for example api_key.create'),
    key: text('id', 'With this key as actor or target alone'),
    actor: text('id', 'By this user alone'),
    since: pastTime('Since'),
    until: pastTime('Before'),
    ...listOptions,
  },
  async run(context, { action, key, actor, since, until, limit }) {
    const filter = { action, key_id: key, actor_id: actor, since, until }
    const query = defined({ ...filter, limit: pageSize(limit) })
    const events = (await signedInClient(context)).items('/audit-log', { params: { query } })
    await printList(context.output, events, { limit, columns, what: 'audit events' })
  },
})

const columns: Columns<ItemOf<'/audit-log'>> = {
  time: ({ occurred_at }) => showTime(occurred_at),
  action: ({ action }) => action,
  outcome: ({ outcome, reason }) => reason ?? outcome,
  actor: ({ actor }) => actor.name ?? actor.type,
  key: ({ actor }) => actor.key_id,
  target: ({ target }) => target.id,
  address: ({ ip }) => ip,
}
