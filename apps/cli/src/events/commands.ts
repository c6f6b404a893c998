import type { ResponseOf } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { optional, truncated, type Columns } from '../terminal/table.ts'

export const eventTypes = command({
  path: 'events types',
  summary: 'List the event types',
  examples: ['hctl events types'],
  async run(context) {
    const types = await (await signedInClient(context)).GET('/webhooks/event-types')
    context.output.result(types, context.output.table(types.items, columns))
  },
})

type EventType = ResponseOf<'/webhooks/event-types', 'get'>['items'][number]

const columns: Columns<EventType> = {
  type: ({ type }) => type,
  description: truncated(({ description }) => description),
  note: optional(({ deprecated, reserved }) =>
    deprecated ? 'deprecated' : reserved ? 'reserved' : '',
  ),
}
