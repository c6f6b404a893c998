import { verifyWebhook, WebhookVerificationError } from '@hosting/sdk'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const rawBody = Buffer.concat(await request.toArray())
  // Your service may use another prefix than `service`: see its page /docs/webhooks.
  const header = request.headers['service-signature']
  try {
    const event = await verifyWebhook(rawBody, String(header), process.env['WEBHOOK_SECRET']!)
    console.log(event.type, event.data)
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.writeHead(400).end(error.message)
  }
}

const server = createServer((request, response) => void receive(request, response))
server.listen(Number(process.env['PORT']))
