import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { defined } from '../defined.ts'
import { list, required, text, unless } from '../options.ts'
import { showWebhook } from '../records/webhook.ts'

export const webhooksCreate = command({
  path: 'webhooks create',
  summary: 'Subscribe an endpoint to events',
  options: {
    url: required(text('url', 'Where the events go')),
    event: required(list('pattern', 'Which events: a type, <resource>.* or *')),
    description: text('text', 'What it is for'),
    enabled: unless('Let its deliveries wait at first'),
  },
  async run(context, { url, event, description, enabled }) {
    const client = await signedInClient(context)
    const body = defined({ url, events: event, description, enabled })
    const answer = await client.POST('/webhooks', { body })
    context.output.answer(answer, [
      ...showWebhook(answer.webhook),
      '',
      `Secret  ${answer.secret ?? '(lost)'}`,
      '        It is shown here alone: the receiver verifies signatures with it.',
    ])
  },
})
