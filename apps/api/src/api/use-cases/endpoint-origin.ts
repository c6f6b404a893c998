import { conflict, validationFailed } from '@hosting/core/problems'
import {
  findEndpointUrl,
  hasEndpointHeaders,
  type LockedEndpoint,
} from '@hosting/postgres/webhooks'
import { requireConfirmed } from '../access/check-access.ts'
import type { EndpointChange } from '../schemas/endpoint.ts'
import type { Needs } from '../services.ts'
import type { RequestContext } from './audit.ts'

/** A change of an endpoint, in what decides where its custom headers are sent. */
export interface OriginChange {
  readonly id: string
  readonly change: Pick<EndpointChange, 'url' | 'headers'>
  /** The result of {@link readUrlBeforeChange}. */
  readonly urlBefore: string | undefined
}

/**
 * Reads the URL of an endpoint before the transaction of a change opens. If a change without a URL sets headers, they
 * are meant for this URL.
 */
export const readUrlBeforeChange = (
  { database }: Needs<'database'>,
  tenantId: string,
  id: string,
): Promise<string | undefined> => findEndpointUrl(database.prisma, tenantId, id)

/**
 * Requires that custom headers are sent only to the origin that they were given for. The transaction must have locked
 * the endpoint.
 *
 * @throws Problem `validation_failed` at `/headers` if the change leaves headers to another origin.
 * @throws Problem `reauthentication_required` or `conflict` if a session may not change the origin now.
 * @throws Problem `conflict` if the origin changed while new headers were on their way.
 */
export async function requireHeadersOfOrigin(
  context: RequestContext,
  locked: LockedEndpoint,
  { id, change: { url, headers }, urlBefore }: OriginChange,
): Promise<void> {
  if (url === undefined) {
    if (headers && urlBefore !== undefined && isOtherOrigin(urlBefore, locked.url)) {
      const reason =
        'the URL of the endpoint has just changed. Check it and send the headers again.'
      throw conflict(reason)
    }
    return
  }
  if (!isOtherOrigin(locked.url, url) || !(await hasEndpointHeaders(context.work.tx, id))) return
  requireConfirmed(context.caller)
  if (headers !== undefined) return
  const message =
    'must be given, because the scheme, host or port of the URL changes: all headers for the new URL, or null to remove them'
  throw validationFailed({ pointer: '/headers', message })
}

const isOtherOrigin = (before: string, after: string): boolean =>
  new URL(before).origin !== new URL(after).origin
