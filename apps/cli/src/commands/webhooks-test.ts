import type { BodyOf } from '@hosting/sdk'
import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { required, text } from '../options.ts'
import { showDelivery } from '../records/delivery.ts'

export const webhooksTest = command({
  path: 'webhooks test',
  summary: 'Send an endpoint an example event of a type',
  arguments: { id: 'The webhook' },
  options: {
    event: required(text('type', 'The event type, such as site.created (see hctl events types)')),
  },
  async run(context, { id, event }) {
    const client = await signedInClient(context)
    const answer = await client.POST('/webhooks/{id}/test', {
      params: { path: { id } },
      // New types may appear at any time, so the service checks it.
      body: { event_type: event as EventType },
    })
    context.output.answer(answer, showDelivery(answer.delivery))
    context.output.note(`See the result: hctl deliveries show ${answer.delivery.id}`)
  },
})

type EventType = BodyOf<'/webhooks/{id}/test', 'post'>['event_type']
