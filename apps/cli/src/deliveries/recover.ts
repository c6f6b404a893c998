import { recordsKeptDays } from '@hosting/core/webhooks'
import type { Client } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { omitUndefined, choice, flag, list, pastTime, required, endpointId } from '../options.ts'
import { toLines } from '../terminal/table.ts'

const pollIntervalMs = 1_000

export const recover = command({
  path: 'deliveries recover',
  summary: 'Send the failed deliveries of a webhook in a time range again',
  examples: [
    'hctl deliveries recover billing --since 24h --dry-run',
    'hctl deliveries recover billing --since 24h',
  ],
  arguments: { webhookId: endpointId },
  options: {
    since: required(pastTime(`Created at or after, at most ${recordsKeptDays} days ago`)),
    until: pastTime('Created before'),
    status: choice(['dead', 'any'], 'Also what has arrived: any'),
    eventType: list('pattern', 'Only events that match: a type, <resource>.* or *', {
      field: 'event_types',
      values: 'pattern',
    }),
    backfill: flag('Also events that the webhook never got, because it is newer'),
    wait: flag('Wait until every redelivery is queued'),
    dryRun: flag('Only count the deliveries'),
  },
  async run(context, { webhookId: id, since, until, wait, dryRun, status, eventType, backfill }) {
    const client = await signedInClient(context)
    const choices = { status, event_types: eventType as undefined, backfill }
    const body = omitUndefined({ since, until, dry_run: dryRun, ...choices })
    const started = await client.POST('/webhooks/{id}/recover', { params: { path: { id } }, body })
    if ('total' in started) {
      const { total } = started
      const nothing = total === 0 ? await explainNothing(client, id, 'Nothing to send') : []
      context.output.result(started, [...toLines({ total }), ...nothing])
      return
    }
    const response = wait
      ? await waitForEnd(context, client, { id, recovery_id: started.recovery.id })
      : started
    const { id: recovery, status: state, total, done } = response.recovery
    const lines =
      state === 'done' && total === 0
        ? await explainNothing(client, id, 'Nothing was sent')
        : toLines({ recovery, status: state, total, done })
    context.output.result(response, lines)
  },
})

/** Says what waits and how to send it, if a recovery found nothing. */
async function explainNothing(client: Client, id: string, outcome: string): Promise<string[]> {
  const { webhook: endpoint } = await client.GET('/webhooks/{id}', { params: { path: { id } } })
  const { waiting_deliveries: waiting, enabled } = endpoint
  const nothing = `${outcome}: no event of the time range is to be recovered.`
  if (waiting === 0) return [nothing]
  const what = waiting === 1 ? '1 delivery is waiting' : `${waiting} deliveries are waiting`
  const how = `${what}: hctl webhooks retry ${id}`
  return [nothing, enabled ? how : `${how}, after hctl webhooks update ${id} --enabled`]
}

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
