import { sessionEnd } from '@hosting/core/sessions'
import type { SessionRow, SignInRecord } from '@hosting/postgres/sessions'

/** A session and its user. */
export interface SessionView extends Pick<SignInRecord, 'user' | 'tenant'> {
  readonly session: {
    readonly csrfToken: string
    readonly confirmedAt: Date
    readonly idleExpiresAt: Date
    readonly absoluteExpiresAt: Date
    readonly impersonator: { readonly id: string; readonly name: string } | null
  }
}

/** A session as the API returns it to its owner. */
export const toSessionRecord = ({ user, tenant, session }: SessionView) => ({
  user: { id: user.id, name: user.name, email: user.email, kind: user.kind },
  tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name },
  csrf_token: session.csrfToken,
  confirmed_at: session.confirmedAt,
  expires_at: sessionEnd(session),
  impersonator: session.impersonator,
})

/** A session in the list of a person's sessions. */
export const toSessionItem = (row: SessionRow, currentId: string) => ({
  id: row.id,
  ip: row.ip,
  user_agent: row.userAgent,
  created_at: row.createdAt,
  last_seen_at: row.lastSeenAt,
  expires_at: sessionEnd(row),
  current: row.id === currentId,
})
