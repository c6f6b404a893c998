import { verifyWebhook, WebhookVerificationError } from '@hosting/sdk'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

const secret = process.env['WEBHOOK_SECRET']!
const bodyBytesMax = 1_048_576

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
  const body = await readBody(request)
  if (!body) {
    response.setHeader('Connection', 'close')
    return 413
  }
  const signature = request.headers['service-signature'] as string | undefined
  const event = await verifyWebhook(body, signature, secret)
  console.log(`${event.type} ${event.id}`) // Store the event here, and work afterwards.
  return 204
}

const server = createServer((request, response) => {
  void receive(request, response)
    // A client may break off its request; that must not end the program.
    .catch((error: unknown) => (error instanceof WebhookVerificationError ? 400 : 500))
    .then((status) => response.writeHead(status).end())
})
server.listen(Number(process.env['PORT'] ?? 3000), () => console.log('listening'))
