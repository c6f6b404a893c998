import { clientNetwork } from '@hosting/core/network'
import { Alert } from '../../view/components.tsx'

/** Warns that a code was requested from another network than that of the browser. */
export const OtherNetwork = ({ requestedFrom, own }: { requestedFrom: string; own: string }) => (
  <Alert tone="bad" title="This code was requested from a different network" live>
    <p>
      The device is at <span class="mono">{requestedFrom}</span> (network{' '}
      <span class="mono">{clientNetwork(requestedFrom)}</span>). Your browser is at{' '}
      <span class="mono">{own}</span> (network <span class="mono">{clientNetwork(own)}</span>).
    </p>
    <p>
      This is normal if you started the login yourself on a remote server. If you did not start it,
      someone is trying to get access to your account: deny the request, do not type a code that
      somebody sent you, and tell an administrator.
    </p>
  </Alert>
)
