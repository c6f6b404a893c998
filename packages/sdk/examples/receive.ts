import { verifyWebhook, WebhookVerificationError } from '@hosting/sdk'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

const bodyBytesMax = 1_048_576

/** Reads the body as it was sent; undefined if it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<number> {
  if (request.method !== 'POST') return 405
  const rawBody = await readBody(request)
  if (!rawBody) {
    response.setHeader('Connection', 'close')
    return 413
  }
  // Your service may use another prefix than `service`: see its page /docs/webhooks.
  const header = request.headers['service-signature']
  const event = await verifyWebhook(rawBody, String(header), process.env['WEBHOOK_SECRET']!)
  console.log(event.type, event.data)
  return 204
}

const server = createServer((request, response) => {
  void receive(request, response)
    // A client may break off its request; that must not end the program.
    .catch((error: unknown) => (error instanceof WebhookVerificationError ? 400 : 500))
    .then((status) => response.writeHead(status).end())
})
server.listen(Number(process.env['PORT']))
