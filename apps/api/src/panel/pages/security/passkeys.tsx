import { Table } from '@hosting/html'
import { passkeysMax } from '@hosting/core/sessions'
import type { PasskeyRecord } from '../../../records/passkey.ts'
import { Badge, Card, LinkButton } from '../../view/components.tsx'
import { Time } from '../../view/time.tsx'

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
    hint="Sign in with your fingerprint, face, screen lock or security key instead of your password and code. A passkey does not work on imitations of this site."
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
      <p class="quiet">
        {isAvailable
          ? 'You have no passkey.'
          : 'Passkeys are not available: this installation has an IP address instead of a host name.'}
      </p>
    )}
  </Card>
)

const PasskeyTable = ({ passkeys }: { passkeys: readonly PasskeyRecord[] }) => (
  <Table
    caption="Your passkeys, newest first"
    rows={passkeys}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Name',
        show: ({ name, backed_up }) => (
          <>
            <bdi>{name}</bdi> {backed_up && <Badge>Synchronized</Badge>}
          </>
        ),
      },
      { name: 'Added', show: ({ created_at }) => <Time at={created_at} /> },
      { name: 'Last used', show: ({ last_used_at }) => <Time at={last_used_at} /> },
      {
        name: 'Action',
        show: ({ id, name }) => (
          <LinkButton to={`/security/passkeys/${id}/remove`} variant="danger small">
            Remove<span class="visually-hidden"> {name}</span>
          </LinkButton>
        ),
      },
    ]}
  />
)
