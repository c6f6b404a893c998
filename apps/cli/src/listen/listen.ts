import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { isInteractive } from '../environment.ts'
import { requirePatterns } from '../events/patterns.ts'
import { statusFilter } from '../deliveries/filters.ts'
import { flag, list, optionalText, pastTime, text } from '../options.ts'
import { follow } from './follow.ts'
import { toReplay } from './replay.ts'
import { lineReporter } from './report-lines.ts'
import { toTarget } from './target.ts'
import { followWithKeys } from './with-keys.ts'

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
    const replay = toReplay(options)
    const target = toTarget(forwardTo, { skipVerify })
    const { environment, output } = context
    const client = await signedInClient(context)
    await requirePatterns(client, patterns)
    const listening = { client, patterns, target, replay, standardWebhooks }
    if (!output.json && isInteractive(environment)) return followWithKeys(context, listening)
    const reporter = lineReporter(output, target)
    return follow(context, listening, { reporter, signal: environment.signal })
  },
})
