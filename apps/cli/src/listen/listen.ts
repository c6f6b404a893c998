import type { Client } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { matchesPattern, requirePatterns } from '../events/patterns.ts'
import { statusFilter } from '../deliveries/filters.ts'
import { flag, list, optionalText, pastTime, text } from '../options.ts'
import { printable } from '../terminal/text.ts'
import { forward, type EventRequest, type ForwardResult } from './forward.ts'
import { listenWithReconnect } from './reconnect.ts'
import { startReplay, toReplay, type ReplayChoice } from './replay.ts'
import { certificateHint, shownTarget, toTarget, type ForwardTarget } from './target.ts'

/** While this many are being forwarded, the stream is not read, so that memory stays bounded. */
const inFlightMax = 100

export const runListen = command({
  path: 'listen',
  summary: 'Show events as they are published and forward them to a local URL',
  examples: [
    'hctl listen',
    'hctl listen --forward-to http://localhost:3000/hook',
    'hctl listen --forward-to https://localhost:8443/hook --skip-verify',
    'hctl listen --forward-to localhost:3000/hook --replay --since 1h --status failed',
  ],
  options: {
    forwardTo: text('url', 'URL that receives the events, for example http://localhost:3000/hook'),
    skipVerify: flag('Accept any certificate of an https URL of this machine'),
    eventType: list('pattern', 'Only these event types: a type, <resource>.* or *', {
      values: 'pattern',
    }),
    standardWebhooks: flag('Also send the webhook-* headers of Standard Webhooks'),
    replay: optionalText(
      'id',
      'First send a delivery or an event again, or what --since and --status choose',
    ),
    since: pastTime('With --replay: deliveries created at or after'),
    status: statusFilter,
  },
  async run(context, options) {
    const { forwardTo, skipVerify, eventType: patterns = ['*'], standardWebhooks } = options
    let replay = toReplay(options)
    const target = toTarget(forwardTo, { skipVerify })
    const { environment, output } = context
    const client = await signedInClient(context)
    await requirePatterns(client, patterns)
    const inFlight = new Set<Promise<void>>()
    const failing = new AbortController()
    const signal = AbortSignal.any([environment.signal, failing.signal])
    const { sleep } = environment
    const updates = listenWithReconnect(client, { sleep, signal, standardWebhooks })
    for await (const update of updates) {
      // Messages that have arrived are still returned after an abort.
      failing.signal.throwIfAborted()
      if (update.kind === 'secret') {
        printSecret(context, update.secret, target)
        if (replay) await replayOnce(context, client, replay)
        replay = undefined
      } else if (update.kind === 'lost') {
        output.warn(`The stream was interrupted (${printable(update.reason)}). Connecting again.`)
      } else if (patterns.some((pattern) => matchesPattern(pattern, toEvent(update).type))) {
        const handled = handle(context, update, target)
          .catch((error: unknown) => failing.abort(error))
          .finally(() => inFlight.delete(handled))
        inFlight.add(handled)
        if (inFlight.size >= inFlightMax) await Promise.race(inFlight)
      }
    }
  },
})

/** Prints the signing secret, which differs for each stream. */
function printSecret({ output }: Context, secret: string, target: ForwardTarget | undefined): void {
  const forward_to = target ? shownTarget(target) : null
  if (output.json) output.jsonLine({ status: 'listening', secret, forward_to })
  else {
    output.lines([
      target ? `Listening. Forwarding events to ${shownTarget(target)}` : 'Listening.',
      `Signing secret  ${output.styled('bold', secret)}   (of this stream only)`,
    ])
  }
}

/** Asks for what `--replay` chooses. It arrives on the stream. */
async function replayOnce(context: Context, client: Client, replay: ReplayChoice): Promise<void> {
  const { output } = context
  const deliveries = await startReplay(context, client, replay)
  if (output.json) output.jsonLine({ status: 'replaying', deliveries })
  else if (deliveries === 0) output.note('No delivery matches.')
  else output.note(`Replaying ${deliveries === 1 ? '1 delivery' : `${deliveries} deliveries`}.`)
}

/** Forwards an event, if there is a target, and prints it. */
async function handle(
  { output, environment: { now } }: Context,
  request: EventRequest,
  target: ForwardTarget | undefined,
): Promise<void> {
  const { id, type } = toEvent(request)
  const at = new Date(now()).toISOString()
  const result = target && (await forward(target, request, now))
  const hint = target && result?.error ? certificateHint(target, result.error) : undefined
  if (output.json) {
    const { status = null, error = null, durationMs: duration_ms = null } = result ?? {}
    output.jsonLine({ status: 'event', at, type, id, response: { status, error, duration_ms } })
    if (hint !== undefined) output.warn(hint)
    return
  }
  const outcome = result ? `  ${describe(output, result)}` : ''
  output.lines([`${at.slice(11, 19)}Z  ${printable(type)}  ${printable(id)}${outcome}`])
  if (hint !== undefined) output.warn(hint)
}

function describe(output: Context['output'], { status, error, durationMs }: ForwardResult): string {
  const isSuccess = status !== null && status >= 200 && status < 300
  const label = status === null ? error! : `HTTP ${status}`
  return `${output.styled(isSuccess ? 'green' : 'red', label)}  ${durationMs} ms`
}

function toEvent({ body }: EventRequest): { id: string; type: string } {
  const { id, type } = JSON.parse(body) as { id: string; type: string }
  return { id, type }
}
