import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { defined } from '../defined.ts'
import { usageError } from '../exit-codes.ts'
import { either, list, text } from '../options.ts'
import { showWebhook } from '../records/webhook.ts'

export const webhooksUpdate = command({
  path: 'webhooks update',
  summary: 'Change, disable or enable an endpoint',
  arguments: { id: 'The webhook' },
  options: {
    url: text('url', 'Where the events go'),
    event: list('pattern', 'Which events, in place of those so far'),
    description: text('text', 'What it is for'),
    enabled: either('Send its deliveries; --no-enabled lets them wait'),
  },
  async run(context, { id, url, event, description, enabled }) {
    const body = defined({ url, events: event, description, enabled })
    if (Object.keys(body).length === 0) throw usageError('usage', 'Name what to change.')
    const client = await signedInClient(context)
    const answer = await client.PATCH('/webhooks/{id}', { params: { path: { id } }, body })
    context.output.answer(answer, showWebhook(answer.webhook))
  },
})
