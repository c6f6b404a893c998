import { usageError } from './exit-codes.ts'

/** The address of a service as it is kept and compared: its origin, and the path it stands under. */
export function toServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw usageError('server', `${text} is not the address of a service, such as https://host.`)
  }
  return `${url.origin}${url.pathname.replace(/(\/api\/v1)?\/*$/, '')}`
}

/** Whether what is sent there passes a network in the clear. */
export function isReadOnTheWay(server: string): boolean {
  const url = new URL(server)
  return url.protocol === 'http:' && !isLoopback(url)
}

/** Whether the address reaches this machine alone. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
