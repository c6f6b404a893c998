import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { listOptions, pageSize, printList } from '../output/list.ts'
import { webhookColumns } from '../records/webhook.ts'

export const webhooksList = command({
  path: 'webhooks list',
  summary: 'List webhook endpoints',
  options: listOptions,
  async run(context, { limit }) {
    const query = { limit: pageSize(limit) }
    const webhooks = (await signedInClient(context)).items('/webhooks', { params: { query } })
    await printList(context.output, webhooks, { limit, columns: webhookColumns, what: 'webhooks' })
  },
})
