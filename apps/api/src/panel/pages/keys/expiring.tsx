import { keyExpiresSoonDays } from '@hosting/core/api-keys'
import type { ExpiringKey } from '@hosting/postgres/api-keys'
import { usePage } from '../../view/context.ts'
import { LinkButton } from '../../view/components.tsx'
import { Time } from '../../view/time.tsx'
import { creationLink } from './prefill.ts'

/** The next keys to expire, and how many expire soon. */
export interface Expiring {
  readonly keys: readonly ExpiringKey[]
  readonly total: number
}

/** The keys that expire soon, each with a link that creates its replacement. */
export const ExpiringKeys = ({ keys, total }: Expiring) => (
  <section>
    <h3>Keys that expire within {keyExpiresSoonDays} days</h3>
    <p class="quiet">
      Requests with an expired key are refused. Create new keys and switch to them before these
      expire.
    </p>
    <ul>
      {keys.map((key) => (
        <li key={key.id}>
          <div>
            <a class="standalone" href={`/keys/${key.id}`}>
              <bdi>{key.name}</bdi>
            </a>
            <span class="under">
              {key.requests === 1 ? '1 request' : `${key.requests.toLocaleString('en')} requests`}{' '}
              in the last 7 days, expires <Time at={key.expiresAt} />
            </span>
          </div>
          <Replace apiKey={key} />
        </li>
      ))}
    </ul>
    {total > keys.length && (
      <p class="small quiet">
        And {total - keys.length} more: see <a href="/keys">all keys</a>.
      </p>
    )}
  </section>
)

const Replace = ({ apiKey: { id, name, scopes } }: { apiKey: ExpiringKey }) =>
  usePage().may('apikeys.create') ? (
    <LinkButton to={creationLink({ name, scopes })} variant="small">
      Create replacement
    </LinkButton>
  ) : (
    <LinkButton to={`/keys/${id}`} variant="small">
      View key
    </LinkButton>
  )
