import type { ExpiringKey } from '../../../api/for-pages.ts'
import { usePage } from '../../view/context.ts'
import { LinkButton } from '../../view/components.tsx'
import { creationLink } from './prefill.ts'

/** The next keys to expire, and how many expire soon. */
export interface Expiring {
  readonly keys: readonly ExpiringKey[]
  readonly total: number
}

/** A key that expires soon, and what to do about it. */
export const KeyProblem = ({ apiKey: { id, name } }: { apiKey: ExpiringKey }) => (
  <>
    <a class="row-link" href={`/keys/${id}`}>
      <bdi>{name}</bdi>
    </a>
    <span class="under">
      <strong>API key expires.</strong> Create a new key and switch to it before this one expires.
    </span>
  </>
)

/** Creates the replacement of a key that expires. */
export const KeyAction = ({ apiKey: { id, name, scopes } }: { apiKey: ExpiringKey }) =>
  usePage().may('apikeys.create') ? (
    <LinkButton to={creationLink({ name, scopes })} variant="small">
      Create replacement
    </LinkButton>
  ) : (
    <LinkButton to={`/keys/${id}`} variant="small">
      View key
    </LinkButton>
  )
