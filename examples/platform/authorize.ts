import { ApiProblem, type Permission } from '@hosting/platform-sdk'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { control } from './client.ts'

/** The caller of a request of your API; `undefined` if it was refused, which is then already sent. */
export async function authorize(
  request: IncomingMessage,
  response: ServerResponse,
  needed: { readonly permission: Permission; readonly account_id?: string },
) {
  try {
    return await control.POST('/authorize', {
      body: {
        authorization: request.headers.authorization ?? null,
        ip: request.socket.remoteAddress!, // Behind a proxy: the address that it forwards.
        method: request.method!,
        ...needed,
      },
    })
  } catch (error) {
    const isRefusal = error instanceof ApiProblem && [401, 403, 429].includes(error.status)
    // A wrong service token is not the customer's fault.
    if (!isRefusal || error.code === 'invalid_service_token') throw error
    response
      .writeHead(error.status, {
        'Content-Type': 'application/problem+json',
        ...(error.retryAfterSeconds !== undefined && { 'Retry-After': error.retryAfterSeconds }),
      })
      .end(JSON.stringify(error.body))
    return undefined
  }
}
