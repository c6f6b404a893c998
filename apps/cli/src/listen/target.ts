import { usageError } from '../exit-codes.ts'
import { isLoopback, shownUrl } from '../server-url.ts'

/** Where `hctl listen` forwards events to. */
export interface ForwardTarget {
  readonly url: URL
  /** Whether any certificate is accepted; only on this machine. */
  readonly skipsVerification: boolean
}

/** Checks `--forward-to` and `--skip-verify`. @throws a usage error. */
export function toTarget(
  address: string | undefined,
  { skipVerify = false }: { skipVerify?: boolean | undefined },
): ForwardTarget | undefined {
  const url = address === undefined ? undefined : toUrl(address)
  if (skipVerify && !(url?.protocol === 'https:' && isLoopback(url))) {
    const message = '--skip-verify needs --forward-to with an https URL of this machine.'
    throw usageError('usage', message, 'For example: --forward-to https://localhost:8443/hook')
  }
  return url && { url, skipsVerification: skipVerify }
}

function toUrl(address: string): URL {
  // Accept a URL without a scheme, as curl does: `localhost:3000/hook`.
  const full = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`
  const url = URL.canParse(full) ? new URL(full) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url
  throw usageError('usage', `--forward-to ${shownUrl(address)} is not an HTTP URL.`)
}

/** The URL as it is printed, without a user name and password. */
export const shownTarget = ({ url }: ForwardTarget): string =>
  url.href.replace(/^(\w+:\/\/)[^/@]*@/, '$1…@')

/** The errors of Node and OpenSSL that another certificate, or none, would not give. */
const certificateErrors =
  /^(CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_(GET|VERIFY)_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/

/** What helps if the target's certificate was refused; undefined for another error. */
export function certificateHint({ url }: ForwardTarget, error: string): string | undefined {
  if (!certificateErrors.test(error)) return undefined
  const trust = 'set NODE_EXTRA_CA_CERTS to the file of its CA'
  const help = isLoopback(url) ? `Use --skip-verify, or ${trust}` : `Instead, ${trust}`
  return `The certificate of ${url.host} is not trusted. ${help}.`
}
