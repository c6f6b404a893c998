import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { BadRequest } from './body.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Creates a server that responds to every request, whatever a handler throws. */
export const serve = (handle: Handler): Server =>
  createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A client that broke off its request reads no response.
      if (request.destroyed && !request.complete) return
      const status = error instanceof BadRequest ? error.status : 503
      if (status === 503) console.error(String(error))
      if (!response.headersSent) response.writeHead(status, { Connection: 'close' })
      response.end()
    })
  })
