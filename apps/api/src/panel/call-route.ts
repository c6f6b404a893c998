import { createPanelAuthenticator, type PublicCaller } from '../api/access/authenticate.ts'
import { runRoute, type RouteArrival } from '../api/http/run-route.ts'
import type { Services } from '../api/services.ts'
import type { CallInput, PageRequest } from './page.ts'
import { appendHeaders } from './response.ts'

/** Runs an API route on behalf of whoever requested the page. Returns the response body. */
export async function callRoute(
  services: Services,
  arrival: RouteArrival<PublicCaller>,
  {
    caller,
    form,
    input = {},
  }: Pick<PageRequest, 'caller' | 'form'> & { input?: CallInput | undefined },
): Promise<unknown> {
  const { headers, body } = await runRoute({
    services,
    authenticator: createPanelAuthenticator(services, {
      caller,
      csrfToken: form.text('csrf_token'),
    }),
    arrival,
    input: {
      params: input.params ?? {},
      query: definedOf(input.query),
      isForm: false,
      readBody: () => Promise.resolve(input.body && definedOf(input.body)),
      readIdempotencyKey: () => undefined,
    },
  })
  appendHeaders(arrival.res, headers)
  return body
}

const definedOf = (values: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
