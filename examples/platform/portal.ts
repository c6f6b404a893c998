import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readText } from './body.ts'
import { customers } from './customers.ts'
import type { Customer } from './directory.ts'
import { portalPage, signInPage } from './pages.ts'
import { getPanelUrl } from './sign-in-link.ts'
import { createSite, sitesOf } from './sites.ts'

/** A person who is signed in to the platform. */
interface Visit {
  readonly customer: Customer
  readonly signedInAtMs: number
}

/** By the value of the cookie. */
const visits = new Map<string, Visit>()

/** How long after the sign-in the platform vouches for who the person is. */
const confirmedForMs = 5 * 60_000

/** The pages of the platform. */
export async function servePortal(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const visit = visits.get(/(?:^|; )visit=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '')
  if (request.method === 'GET') {
    const page = visit
      ? portalPage(visit.customer, sitesOf(visit.customer.accountId))
      : signInPage(customers)
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page)
    return
  }
  const form = new URLSearchParams(await readText(request))
  const location = await act(request.url!, { form, visit, response })
  response.writeHead(303, { Location: location }).end()
}

interface Submitted {
  readonly form: URLSearchParams
  readonly visit: Visit | undefined
  readonly response: ServerResponse
}

/** Does what a form asks for. Returns where to go next. */
async function act(path: string, { form, visit, response }: Submitted): Promise<string> {
  if (path === '/sign-in') {
    // A real platform asks for a password here.
    const customer = customers.find(({ owner }) => owner.id === form.get('user'))
    if (customer) response.setHeader('Set-Cookie', startVisit(customer))
  } else if (path === '/panel' && visit) {
    const isConfirmed = performance.now() - visit.signedInAtMs < confirmedForMs
    return await getPanelUrl(visit.customer.owner.id, { isConfirmed })
  } else if (path === '/sites' && visit) {
    const { id: tenantId, accountId } = visit.customer
    await createSite({ tenantId, accountId }, form.get('domain') ?? '')
  } else if (path === '/sign-out') {
    response.setHeader('Set-Cookie', 'visit=; Max-Age=0; Path=/')
  }
  return '/'
}

function startVisit(customer: Customer): string {
  const id = randomUUID()
  visits.set(id, { customer, signedInAtMs: performance.now() })
  return `visit=${id}; Path=/; HttpOnly; SameSite=Lax`
}
