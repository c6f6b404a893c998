import { ApiProblem, type Permission } from '@hosting/platform-sdk'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { control } from './client.ts'

/**
 * The caller of a request of your API; `undefined` if it was refused, which is then already sent.
 *
 * @throws what the service could not decide: respond with 503.
 */
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
    const isRefusal = error instanceof ApiProblem && [401, 403, 422, 429].includes(error.status)
    // A wrong service token is not the customer's fault.
    if (!isRefusal || error.code === 'invalid_service_token') throw error
    if (error.status === 422) {
      // Something of the customer's request is not valid, such as the id of the account.
      response.writeHead(400).end()
      return undefined
    }
    response
      .writeHead(error.status, {
        'Content-Type': 'application/problem+json',
        ...(error.retryAfterSeconds !== undefined && { 'Retry-After': error.retryAfterSeconds }),
      })
      .end(JSON.stringify(error.body))
    return undefined
  }
}
