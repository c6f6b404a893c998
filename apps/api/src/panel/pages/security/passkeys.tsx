import { passkeysMax } from '@hosting/core/sessions'
import type { PasskeyRecord } from '../../../api/routes/passkeys.ts'
import { Badge, Card, LinkButton } from '../../view/components.tsx'
import { List } from '../../view/list.tsx'
import { Ago } from '../../view/time.tsx'

/** The passkeys of a person. */
export const PasskeysCard = ({
  passkeys,
  isAvailable,
}: {
  passkeys: readonly PasskeyRecord[]
  /** Whether the service has a host name, to which passkeys are bound. */
  isAvailable: boolean
}) => (
  <Card
    flush={passkeys.length > 0}
    title="Passkeys"
    hint={
      isAvailable
        ? 'Sign in with your fingerprint, face, screen lock or security key instead of your password and code. A passkey cannot be phished.'
        : 'They cannot be used: this installation has an IP address instead of a host name.'
    }
    aside={
      isAvailable &&
      passkeys.length < passkeysMax && (
        <LinkButton to="/security/passkeys/new" variant="small">
          Add a passkey
        </LinkButton>
      )
    }
  >
    {passkeys.length > 0 ? (
      <PasskeyTable passkeys={passkeys} />
    ) : (
      <p class="quiet">No passkeys yet.</p>
    )}
  </Card>
)

const PasskeyTable = ({ passkeys }: { passkeys: readonly PasskeyRecord[] }) => (
  <List
    caption="Your passkeys, newest first"
    variant="passkeys"
    rows={passkeys}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Name',
        show: ({ name, backed_up }) => (
          <>
            <bdi class="lead-text">{name}</bdi>
            {backed_up && <Badge>Synchronized</Badge>}
          </>
        ),
      },
      {
        name: 'Added',
        numeric: true,
        place: 'below',
        named: true,
        show: ({ created_at }) => <Ago at={created_at} />,
      },
      { name: 'Last used', numeric: true, show: ({ last_used_at }) => <Ago at={last_used_at} /> },
      {
        name: 'Action',
        numeric: true,
        place: 'act',
        show: ({ id, name }) => (
          <LinkButton to={`/security/passkeys/${id}/remove`} variant="danger small">
            Remove<span class="visually-hidden"> {name}</span>
          </LinkButton>
        ),
      },
    ]}
  />
)
