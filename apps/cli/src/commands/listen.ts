import { command } from '../command.ts'
import { signedInClient, type Context } from '../context.ts'
import { usageError } from '../exit-codes.ts'
import { forward, type Delivery, type Outcome } from '../listen/forward.ts'
import { listenOn } from '../listen/messages.ts'
import { list, text } from '../options.ts'
import { printable } from '../output/printable.ts'

/** Beyond this the stream is not read on, and the service says so in time. */
const inFlightMax = 100

export const listen = command({
  path: 'listen',
  summary: 'Show events as they are published, and forward them to a local address',
  options: {
    forwardTo: text('url', 'Where to post them, signed, for example http://localhost:3000/hook'),
    event: list('pattern', 'Only these: a type, <resource>.* or *'),
  },
  async run(context, { forwardTo, event: patterns = ['*'] }) {
    const target = forwardTo === undefined ? undefined : toTarget(forwardTo)
    const { surroundings, output } = context
    const client = await signedInClient(context)
    const inFlight = new Set<Promise<void>>()
    for await (const message of listenOn(client, surroundings)) {
      if (message.kind === 'secret') showSecret(context, message.secret, target)
      else if (message.kind === 'lost') {
        output.warn(`The stream is lost (${printable(message.reason)}): connecting again.`)
      } else if (patterns.some((pattern) => matches(pattern, toEvent(message).type))) {
        const pass = passOn(context, message, target).finally(() => inFlight.delete(pass))
        inFlight.add(pass)
        if (inFlight.size >= inFlightMax) await Promise.race(inFlight)
      }
    }
  },
})

function toTarget(address: string): URL {
  // As people write it to curl: `localhost:3000/hook`.
  const full = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`
  const url = URL.canParse(full) ? new URL(full) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url
  throw usageError('usage', `--forward-to ${address} is not an http address.`)
}

/** Each stream has a secret of its own. */
function showSecret({ output }: Context, secret: string, target: URL | undefined): void {
  const forward_to = target?.href ?? null
  if (output.json) output.jsonLine({ status: 'listening', secret, forward_to })
  else {
    output.lines([
      target ? `Listening, and forwarding to ${target.href}` : 'Listening',
      `Signing secret  ${output.styled('bold', secret)}   (of this stream alone)`,
    ])
  }
}

async function passOn(
  { output, surroundings: { now } }: Context,
  delivery: Delivery,
  target: URL | undefined,
): Promise<void> {
  const { id, type } = toEvent(delivery)
  const at = new Date(now()).toISOString()
  const outcome = target && (await forward(target, delivery, now))
  if (output.json) {
    const { status = null, error = null, durationMs: duration_ms = null } = outcome ?? {}
    output.jsonLine({ status: 'event', at, type, id, answer: { status, error, duration_ms } })
    return
  }
  const answer = outcome ? `  ${describe(output, outcome)}` : ''
  output.lines([`${at.slice(11, 19)}Z  ${printable(type)}  ${printable(id)}${answer}`])
}

function describe(output: Context['output'], { status, error, durationMs }: Outcome): string {
  const isTaken = status !== null && status >= 200 && status < 300
  const what = output.styled(isTaken ? 'green' : 'red', String(status ?? error))
  return `${what}  ${durationMs} ms`
}

function toEvent({ body }: Delivery): { id: string; type: string } {
  const { id, type } = JSON.parse(body) as { id: string; type: string }
  return { id, type }
}

const matches = (pattern: string, type: string): boolean =>
  pattern === '*' ||
  pattern === type ||
  (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))
