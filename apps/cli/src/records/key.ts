import type { ItemOf } from '@hosting/sdk'
import { toLines, type Columns } from '../output/table.ts'
import { showTime } from '../output/times.ts'

type Key = ItemOf<'/api-keys'>

export const keyColumns: Columns<Key> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  kind: ({ kind }) => kind,
  status: ({ status }) => status,
  scopes: ({ scopes }) => scopes.join(','),
  expires: ({ expires_at }) => showTime(expires_at),
  'last used': ({ last_used_at }) => showTime(last_used_at),
  today: ({ requests_today }) => requests_today,
}

/** A key as lines. */
export const showKey = (key: Key): string[] =>
  toLines({
    key: key.id,
    name: key.name,
    kind: key.kind,
    source: key.source,
    status: key.status,
    scopes: key.scopes,
    'acts as': key.user.name,
    expires: showTime(key.expires_at),
    addresses: key.ip_allowlist ?? 'any',
    'per minute': key.rate_limit_per_minute,
    created: showTime(key.created_at),
    'last used': showTime(key.last_used_at),
  })
