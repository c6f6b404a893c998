import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { Draft, DraftBody } from './drafts.ts'
import type { World } from './world.ts'

/** The response to a draft. Of a stream, only the start is read. */
export interface Exchange {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The request with its names replaced. */
  readonly sent: Draft
  /** The secrets of the request, which no response may repeat. */
  readonly secrets: readonly string[]
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 4 })

/** Sends a draft with its names replaced. */
export async function exchange(base: string, draft: Draft, world: World): Promise<Exchange> {
  const sent = fillIn(draft, world)
  const { method, target, headers, body } = sent
  const credentials = await world.credentialsOf(draft.caller)
  const bytes = toBytes(body)
  const request = http.request(base, {
    method,
    path: target,
    agent,
    headers: {
      ...credentials,
      // Node's client does not frame the body of a GET or DELETE by itself.
      ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
      ...headers,
    },
  })
  request.end(bytes)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const { statusCode: status = 0, headers: received } = response
  const secrets = [credentials['authorization'], credentials['cookie']]
  const text = isStream(received) ? '' : await textOf(response)
  if (isStream(received)) response.destroy()
  return {
    status,
    headers: received,
    text,
    sent,
    secrets: secrets.flatMap((secret) => secret?.split(/[ =]/).at(-1) ?? []),
  }
}

const isStream = (headers: IncomingHttpHeaders): boolean =>
  headers['content-type'] === 'text/event-stream'

const textOf = async (response: IncomingMessage): Promise<string> =>
  Buffer.concat(await response.toArray()).toString()

const fillIn = (draft: Draft, { names }: World): Draft =>
  JSON.parse(JSON.stringify(draft), (_name, value: unknown) =>
    typeof value === 'string'
      ? value.replace(/\{\{(\w+)\}\}/g, (place, name: string) => names[name] ?? place)
      : value,
  ) as Draft

function toBytes(body: DraftBody): Buffer | undefined {
  if (body.kind === 'none') return undefined
  return body.kind === 'json'
    ? Buffer.from(JSON.stringify(body.value) ?? '')
    : Buffer.from(body.bytes, 'latin1')
}
