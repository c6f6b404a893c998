import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { showDelivery } from '../records/delivery.ts'

export const deliveriesRedeliver = command({
  path: 'deliveries redeliver',
  summary: 'Send a delivery once more, as a new one',
  arguments: { id: 'The delivery' },
  async run(context, { id }) {
    const client = await signedInClient(context)
    const answer = await client.POST('/webhook-deliveries/{id}/redeliver', {
      params: { path: { id } },
    })
    context.output.answer(answer, showDelivery(answer.delivery))
  },
})
