import { verifyWebhook, WebhookVerificationError } from '@hosting/sdk'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

const secret = process.env['WEBHOOK_SECRET']!

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray())
  const signature = request.headers['service-signature'] as string | undefined
  try {
    const event = await verifyWebhook(body, signature, secret)
    console.log(`${event.type} ${event.id}`) // Store the event here, and work afterwards.
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.writeHead(400).end()
  }
}

const server = createServer((request, response) => void receive(request, response))
server.listen(Number(process.env['PORT'] ?? 3000), () => console.log('listening'))
