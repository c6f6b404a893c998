import { isIP } from 'node:net'
import { networkContains, parseAddress, parseNetwork } from '../network/networks.ts'
import type { Config } from './settings.ts'

/** A connection that somebody in the network could read or take over. */
export interface ConnectionWarning {
  /** The variable with the URL. */
  readonly variable: string
  /** What the operator should do. */
  readonly message: string
}

type Connections = Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'redisNodes' | 'smtpUrl'>

/**
 * Finds connections without verified TLS (SECURITY.md, "What an operator must do"): to PostgreSQL on another host than
 * loopback without `sslmode=verify-full`, and to Redis or a mail server without TLS on a host that is neither loopback
 * nor private. Private are the private addresses, and names without a dot. The addresses of a name are not looked up.
 */
export function findConnectionWarnings({
  databaseUrl,
  databaseDirectUrl,
  redisNodes,
  smtpUrl,
}: Connections): ConnectionWarning[] {
  const databases = { DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: databaseDirectUrl }
  return [
    ...Object.entries(databases)
      .filter(([, url]) => url !== undefined && !isVerified(new URL(url.reveal())))
      .map(([variable]) => ({ variable, message: texts.database })),
    ...(redisNodes.reveal().some((url) => isOpen(new URL(url), 'redis:'))
      ? [{ variable: 'REDIS_URL', message: texts.redis }]
      : []),
    ...(smtpUrl && isOpen(new URL(smtpUrl.reveal()), 'smtp:')
      ? [{ variable: 'SMTP_URL', message: texts.mail }]
      : []),
  ]
}

const texts = {
  database:
    'the connection to PostgreSQL is not protected by verified TLS: set sslmode=verify-full in the URL',
  redis: 'the connection to Redis is not protected by TLS: use rediss: in the URL',
  mail: 'the connection to the mail server need not use TLS: use smtps: in the URL',
}

/** Whether a connection to PostgreSQL stays on this machine or verifies the server. `host` names a socket's folder. */
function isVerified({ hostname, searchParams }: URL): boolean {
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  const isLocal = host === '' || host.startsWith('/') || isIn(loopback, host)
  return isLocal || searchParams.get('sslmode') === 'verify-full'
}

const isOpen = ({ protocol, hostname }: URL, plain: string): boolean =>
  protocol === plain && /[.:]/.test(hostname) && !isIn([...loopback, ...privateNetworks], hostname)

const loopback = ['127.0.0.0/8', '::1'].map(parseNetwork)
/** RFC 1918 and RFC 4193. */
const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'].map(
  parseNetwork,
)

function isIn(networks: readonly ReturnType<typeof parseNetwork>[], hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (host === 'localhost') return true
  const address = isIP(host) ? parseAddress(host) : undefined
  return address !== undefined && networks.some((network) => networkContains(network, address))
}
