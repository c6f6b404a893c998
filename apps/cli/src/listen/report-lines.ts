import { isSuccessStatus } from '@hosting/core/webhooks'
import type { Context } from '../context.ts'
import { printable } from '../terminal/text.ts'
import type { Reporter } from './follow.ts'
import type { ForwardResult } from './forward.ts'
import { certificateHint, shownTarget, type ForwardTarget } from './target.ts'

type Output = Context['output']

/** Prints what happens as lines: of text, or of JSON for programs. */
export function lineReporter(output: Output, target: ForwardTarget | undefined): Reporter {
  const { received, ...others } = output.json
    ? jsonReporter(output, target)
    : textReporter(output, target)
  return {
    ...others,
    lost: (reason) =>
      output.warn(`The stream was interrupted (${printable(reason)}). Connecting again.`),
    received(event, result) {
      void received(event, result)
      const hint = target && result?.error ? certificateHint(target, result.error) : undefined
      if (hint !== undefined) output.warn(hint)
    },
  }
}

type Own = Omit<Reporter, 'lost'>

const jsonReporter = (output: Output, target: ForwardTarget | undefined): Own => ({
  opened: (secret) =>
    output.jsonLine({
      status: 'listening',
      secret,
      forward_to: target ? shownTarget(target) : null,
    }),
  replaying: (deliveries) => output.jsonLine({ status: 'replaying', deliveries }),
  received({ at, type, id }, result) {
    const { status = null, error = null, durationMs: duration_ms = null } = result ?? {}
    output.jsonLine({ status: 'event', at, type, id, response: { status, error, duration_ms } })
  },
})

const textReporter = (output: Output, target: ForwardTarget | undefined): Own => ({
  opened: (secret) =>
    output.lines([
      target ? `Listening. Forwarding events to ${shownTarget(target)}` : 'Listening.',
      `Signing secret  ${output.styled('bold', secret)}   (of this stream only)`,
    ]),
  replaying(deliveries) {
    if (deliveries === 0) output.note('No delivery matches.')
    else output.note(`Replaying ${deliveries === 1 ? '1 delivery' : `${deliveries} deliveries`}.`)
  },
  received({ at, type, id }, result) {
    const outcome = result ? `  ${outcomeLabel(output, result)}  ${result.durationMs} ms` : ''
    output.lines([`${at.slice(11, 19)}Z  ${printable(type)}  ${printable(id)}${outcome}`])
  },
})

/** How the local URL responded, in the color of success or failure. */
export function outcomeLabel(output: Output, result: ForwardResult): string {
  const isSuccess = result.status !== null && isSuccessStatus(result.status)
  return output.styled(isSuccess ? 'green' : 'red', outcomeText(result))
}

/** How the local URL responded. */
export const outcomeText = ({ status, error }: ForwardResult): string =>
  status === null ? error! : `HTTP ${status}`
