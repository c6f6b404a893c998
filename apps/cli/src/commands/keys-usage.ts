import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { toTable } from '../output/table.ts'

export const keysUsage = command({
  path: 'keys usage',
  summary: 'Show how often a key was used, by day',
  arguments: { id: 'The key' },
  async run(context, { id }) {
    const client = await signedInClient(context)
    const usage = await client.GET('/api-keys/{id}/usage', { params: { path: { id } } })
    const columns = {
      date: ({ date }: Day) => date,
      requests: ({ requests }: Day) => requests,
    }
    context.output.answer(usage, toTable(usage.items, columns))
  },
})

interface Day {
  readonly date: string
  readonly requests: number
}
