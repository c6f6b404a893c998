import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a defective service does with the API's response: it changes the response, or sends its own. */
type Plant = (
  asked: IncomingMessage,
  given: { status: number; headers: IncomingMessage['headers']; text: string },
) => { status: number; headers: IncomingMessage['headers']; text: string }

interface Defect {
  readonly name: string
  readonly operationId: string
  readonly plant: Plant
  /** What the search says. */
  readonly found: RegExp
}

const refusal = (asked: IncomingMessage, pointer: string) =>
  JSON.stringify({
    type: '/problems/validation_failed',
    title: 'Validation failed',
    status: 422,
    detail: 'Members of the request are invalid.',
    code: 'validation_failed',
    instance: asked.url,
    request_id: '00000000-0000-4000-8000-000000000000',
    errors: [{ pointer, message: 'must be shorter' }],
  })

/** Refuses a request that succeeded. */
const refuseIf =
  (isRefused: (asked: IncomingMessage) => boolean, pointer: string): Plant =>
  (asked, given) =>
    given.status < 300 && isRefused(asked)
      ? {
          status: 422,
          headers: { ...given.headers, 'content-type': 'application/problem+json' },
          text: refusal(asked, pointer),
        }
      : given

/** Changes the members of a success. */
const alter =
  (change: (body: Record<string, unknown>) => Record<string, unknown>): Plant =>
  (_asked, given) =>
    given.status < 300 && given.text !== ''
      ? {
          ...given,
          text: JSON.stringify(change(JSON.parse(given.text) as Record<string, unknown>)),
        }
      : given

/** One defect for each guarantee. */
export const defects: readonly Defect[] = [
  {
    name: 'a list that refuses its highest documented limit',
    operationId: 'webhooks.list',
    plant: refuseIf(({ url }) => /[?&]limit=100\b/.test(url!), '/limit'),
    found: /refused a valid request: \/limit must be shorter/,
  },
  {
    name: 'a body that the document describes and that is refused',
    operationId: 'internal.tenants.put',
    plant: refuseIf(() => true, '/name'),
    found: /refused a valid request: \/name must be shorter/,
  },
  {
    name: 'a status that is not documented',
    operationId: 'webhooks.list',
    plant: (_asked, given) => (given.status === 200 ? { ...given, status: 206 } : given),
    found: /gave a status that is not documented/,
  },
  {
    name: 'a media type that is not documented',
    operationId: 'webhooks.list',
    plant: (_asked, given) => ({
      ...given,
      headers: { ...given.headers, 'content-type': 'text/html' },
    }),
    found: /does not have one of the media types/,
  },
  {
    name: 'a response with a member that is not documented',
    operationId: 'webhooks.list',
    plant: alter((body) => ({ ...body, total: 1 })),
    found: /does not fit its schema/,
  },
  {
    name: 'a response without a required member',
    operationId: 'webhooks.list',
    plant: alter(({ next_cursor: _left, ...body }) => body),
    found: /does not fit its schema/,
  },
]

/** Starts a service that passes requests to the API and plants a defect in the responses. */
export async function startDefective(base: string, plant: Plant) {
  const server = createServer((asked, res) => void passOn(base, plant, asked, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function passOn(base: string, plant: Plant, asked: IncomingMessage, res: ServerResponse) {
  const { method, url: path, headers } = asked
  const given = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.pipe(
      request(base, { method, path, headers, agent: false })
        .on('response', resolve)
        .on('error', reject),
    )
  })
  const text = Buffer.concat(await given.toArray()).toString()
  const { 'content-length': _length, 'transfer-encoding': _coding, ...kept } = given.headers
  const planted = plant(asked, { status: given.statusCode!, headers: kept, text })
  res.writeHead(planted.status, planted.headers).end(planted.text)
}
