import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { toTable, type Columns } from '../output/table.ts'

export const eventsTypes = command({
  path: 'events types',
  summary: 'List the types of events',
  async run(context) {
    const types = await (await signedInClient(context)).GET('/webhooks/event-types')
    context.output.answer(types, toTable(types.items, columns))
  },
})

interface EventType {
  readonly type: string
  readonly description: string
  readonly deprecated: boolean
  readonly reserved: boolean
}

const columns: Columns<EventType> = {
  type: ({ type }) => type,
  description: ({ description }) => description,
  note: ({ deprecated, reserved }) => (deprecated ? 'deprecated' : reserved ? 'reserved' : ''),
}
