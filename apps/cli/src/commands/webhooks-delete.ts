import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { flag } from '../options.ts'
import { askBefore } from '../output/ask.ts'

export const webhooksDelete = command({
  path: 'webhooks delete',
  summary: 'Delete an endpoint; its waiting deliveries end',
  arguments: { id: 'The webhook' },
  options: { yes: flag('Do not ask') },
  async run(context, { id, yes }) {
    const client = await signedInClient(context)
    await askBefore(context, `Delete webhook ${id} for good?`, { yes })
    await client.DELETE('/webhooks/{id}', { params: { path: { id } } })
    context.output.answer({ id, status: 'deleted' }, [`Webhook ${id} is deleted.`])
  },
})
