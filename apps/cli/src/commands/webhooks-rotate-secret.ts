import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { defined } from '../defined.ts'
import { duration } from '../options.ts'
import { showWebhook } from '../records/webhook.ts'

export const webhooksRotateSecret = command({
  path: 'webhooks rotate-secret',
  summary: 'Give an endpoint a new signing secret',
  arguments: { id: 'The webhook' },
  options: { grace: duration('How long the secret so far signs too (default: not at all)') },
  async run(context, { id, grace }) {
    const client = await signedInClient(context)
    const answer = await client.POST('/webhooks/{id}/rotate-secret', {
      params: { path: { id } },
      body: defined({ grace_seconds: grace }),
    })
    context.output.answer(answer, [
      ...showWebhook(answer.webhook),
      '',
      `Secret  ${answer.secret ?? '(lost)'}`,
      '        It is shown here alone.',
    ])
  },
})
