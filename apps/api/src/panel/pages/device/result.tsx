import type { DeviceRequestRecord } from '../../endpoints.ts'
import { Alert, Head, LinkButton } from '../../view/parts.tsx'

/** What became of a request. */
export function DeviceResult({ request }: { request: DeviceRequestRecord }) {
  const { status } = request
  if (status === 'approved' || status === 'delivered') return <Approved request={request} />
  return status === 'denied' ? <Denied request={request} /> : <Expired />
}

const Approved = ({ request: { status, client_name } }: { request: DeviceRequestRecord }) => (
  <>
    <Head title="Approved" />
    <Alert tone="ok" title="Return to your terminal">
      <bdi>{client_name}</bdi>{' '}
      {status === 'approved' ? 'gets its key within some seconds.' : 'has got its key.'}
    </Alert>
    <div class="buttons">
      <LinkButton to="/keys">See your API keys</LinkButton>
    </div>
  </>
)

const Denied = ({ request: { client_name } }: { request: DeviceRequestRecord }) => (
  <>
    <Head title="Refused" />
    <Alert tone="ok" title="Nothing was given">
      <bdi>{client_name}</bdi> gets no key. If you did not start it, somebody tried to work as you:
      look at where you are signed in.
    </Alert>
    <div class="buttons">
      <LinkButton to="/security">Review your sessions</LinkButton>
      <LinkButton to="/keys">See your API keys</LinkButton>
    </div>
  </>
)

const Expired = () => (
  <>
    <Head title="Expired" />
    <Alert tone="warn" title="Nothing was given">
      A code is good for ten minutes. Start again in your terminal.
    </Alert>
    <div class="buttons">
      <LinkButton to="/device">Enter a new code</LinkButton>
    </div>
  </>
)
