import { defaultNames } from '@hosting/core/branding'
import { verifyWebhook, WebhookVerificationError } from '@hosting/sdk'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { errorCode } from '../local-stack/file-errors.ts'
import type { Lifetime } from './lifetime.ts'
import { rememberedPort } from './remembered-port.ts'
import { say } from './say.ts'

/** A receiver of webhooks as a customer would write it: it accepts only verified deliveries. */
export interface Receiver {
  readonly url: string
  /** The signing secret of its endpoint. Until it is known, deliveries are refused and retried. */
  secret: string | undefined
  /** Resolves once the event has arrived and is verified. */
  arrivalOf(eventId: string): Promise<void>
}

/** Starts a receiver that prints each delivery. */
export async function startReceiver(lifetime: Lifetime, directory: string): Promise<Receiver> {
  const awaited = new Map<string, () => void>()
  const server = createServer((request, response) => {
    const respond = async () => {
      const { status, eventId } = await receive(request, receiver.secret)
      response.writeHead(status).end()
      if (eventId !== undefined) awaited.get(eventId)?.()
    }
    // Probably a sender that aborted.
    respond().catch(() => response.destroy())
  })
  const port = await listen(server, join(directory, 'receiver.port'))
  lifetime.onEnd(() => close(server))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/`,
    secret: undefined,
    arrivalOf: (eventId) => new Promise((resolve) => awaited.set(eventId, resolve)),
  }
  return receiver
}

async function receive(
  request: IncomingMessage,
  secret: string | undefined,
): Promise<{ status: number; eventId?: string }> {
  const body = await buffer(request)
  if (secret === undefined) return { status: 503 }
  try {
    const event = await verifyWebhook(body, headerOf(request, 'signature'), secret)
    const delivery = headerOf(request, 'delivery')
    say(`Verified delivery: ${event.type}, event ${event.id}, delivery ${delivery}`)
    return { status: 204, eventId: event.id }
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    say(`Refused delivery: ${error.reason}`)
    return { status: 400 }
  }
}

/** A header of the service, with the configured prefix. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const prefix = process.env['WEBHOOK_HEADER_PREFIX'] ?? defaultNames.webhookHeaderPrefix
  return headers[`${prefix}-${name}`.toLowerCase()]?.toString()
}

async function listen(server: Server, portFile: string): Promise<number> {
  for (;;) {
    const port = await rememberedPort(portFile, 8083, 'The receiver')
    try {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      return port
    } catch (error) {
      // Another start may have taken the port; the next search finds another one.
      if (errorCode(error) !== 'EADDRINUSE') throw error
    }
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
