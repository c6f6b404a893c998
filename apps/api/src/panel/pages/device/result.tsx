import type { DeviceLoginRecord } from '../../../api/routes/device-login.ts'
import { Alert, PageHeader, LinkButton } from '../../view/components.tsx'

/** Shows the outcome of a device login. */
export function DeviceResult({ request }: { request: DeviceLoginRecord }) {
  const { status } = request
  if (status === 'approved' || status === 'delivered') return <Approved request={request} />
  return status === 'denied' ? <Denied request={request} /> : <Expired />
}

const Approved = ({ request: { status, client_name } }: { request: DeviceLoginRecord }) => (
  <>
    <PageHeader title="Device authorized" />
    <Alert tone="ok" title="Return to your terminal">
      <bdi>{client_name}</bdi>{' '}
      {status === 'approved'
        ? 'will receive its key within a few seconds.'
        : 'has received its key.'}
    </Alert>
    <div class="buttons">
      <LinkButton to="/keys">View API keys</LinkButton>
    </div>
  </>
)

const Denied = ({ request: { client_name } }: { request: DeviceLoginRecord }) => (
  <>
    <PageHeader title="Request denied" />
    <Alert title="No access was granted">
      <bdi>{client_name}</bdi> does not receive a key. If you did not start this login, someone may
      have tried to access your account: review your sessions.
    </Alert>
    <div class="buttons">
      <LinkButton to="/security">Review sessions</LinkButton>
      <LinkButton to="/keys">View API keys</LinkButton>
    </div>
  </>
)

const Expired = () => (
  <>
    <PageHeader title="Request expired" />
    <Alert tone="warn" title="No access was granted">
      A code is valid for 10 minutes. Start again in your terminal.
    </Alert>
    <div class="buttons">
      <LinkButton to="/device">Enter a new code</LinkButton>
    </div>
  </>
)
