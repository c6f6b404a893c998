import type { Client } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { flag, pastTime, required, webhookId } from '../options.ts'
import { toLines } from '../terminal/table.ts'

const pollIntervalMs = 1_000

export const recover = command({
  path: 'deliveries recover',
  summary: 'Redeliver every failed delivery of a webhook in a time range',
  arguments: { webhookId },
  options: {
    since: required(pastTime('Created at or after, at most 30 days ago')),
    until: pastTime('Created before'),
    wait: flag('Wait until every redelivery is queued'),
    dryRun: flag('Only count the deliveries'),
  },
  async run(context, { webhookId: id, since, until, wait, dryRun }) {
    const client = await signedInClient(context)
    const body = omitUndefined({ since, until, dry_run: dryRun })
    const started = await client.POST('/webhooks/{id}/recover', { params: { path: { id } }, body })
    if ('total' in started) {
      context.output.result(started, toLines({ total: started.total }))
      return
    }
    const response = wait
      ? await waitForEnd(context, client, { id, recovery_id: started.recovery.id })
      : started
    const { id: recovery, status, total, done } = response.recovery
    context.output.result(response, toLines({ recovery, status, total, done }))
  },
})

async function waitForEnd(
  { environment: { sleep, signal } }: Context,
  client: Client,
  path: { id: string; recovery_id: string },
) {
  for (;;) {
    const response = await client.GET('/webhooks/{id}/recoveries/{recovery_id}', {
      params: { path },
    })
    if (response.recovery.status !== 'running') return response
    await sleep(pollIntervalMs, signal)
  }
}
