import type { Client } from '@hosting/sdk'
import { command } from '../command.ts'
import { signedInClient, type Context } from '../context.ts'
import { defined } from '../defined.ts'
import { flag, pastTime, required } from '../options.ts'
import { toLines } from '../output/table.ts'

const askAgainMs = 1_000

export const deliveriesRecover = command({
  path: 'deliveries recover',
  summary: 'Send again every dead delivery of a webhook in a span of time',
  arguments: { webhookId: 'The webhook' },
  options: {
    since: required(pastTime('Made since (30 days back at most)')),
    until: pastTime('Made before'),
    wait: flag('Wait until all are queued again'),
    dryRun: flag('Only count what would be sent again'),
  },
  async run(context, { webhookId: id, since, until, wait, dryRun }) {
    const client = await signedInClient(context)
    const body = defined({ since, until, dry_run: dryRun })
    const started = await client.POST('/webhooks/{id}/recover', { params: { path: { id } }, body })
    if ('total' in started) {
      context.output.answer(started, toLines({ total: started.total }))
      return
    }
    const answer = wait
      ? await untilEnded(context, client, { id, recovery_id: started.recovery.id })
      : started
    const { id: recovery, status, total, done } = answer.recovery
    context.output.answer(answer, toLines({ recovery, status, total, done }))
  },
})

async function untilEnded(
  { surroundings: { sleep, signal } }: Context,
  client: Client,
  path: { id: string; recovery_id: string },
) {
  for (;;) {
    const answer = await client.GET('/webhooks/{id}/recoveries/{recovery_id}', { params: { path } })
    if (answer.recovery.status !== 'running') return answer
    await sleep(askAgainMs, signal)
  }
}
