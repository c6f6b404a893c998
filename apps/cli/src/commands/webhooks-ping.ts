import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { showDelivery } from '../records/delivery.ts'

export const webhooksPing = command({
  path: 'webhooks ping',
  summary: 'Send an endpoint a webhook.ping',
  arguments: { id: 'The webhook' },
  async run(context, { id }) {
    const client = await signedInClient(context)
    const answer = await client.POST('/webhooks/{id}/ping', { params: { path: { id } } })
    context.output.answer(answer, showDelivery(answer.delivery))
    context.output.note(`See how it went: hctl deliveries show ${answer.delivery.id}`)
  },
})
