/**
 * Parses the URL of a PostgreSQL database. Everything in it is honored, with the meaning that it has for libpq, or refused.
 *
 * @throws Error whose message completes "<NAME> …", and never has a part of the URL that could be secret.
 */
export function databaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//i.test(text))
    throw new Error(`must be a URL that starts with ${starts}`)
  const [authority = ''] = text.replace(/^\w+:\/\//, '').split(/[/?#]/)
  requireOneHost(authority.slice(authority.lastIndexOf('@') + 1))
  // A socket's folder is a parameter, and the authority then may end with the user.
  const url = URL.parse(text) ?? URL.parse(text.replace('@/', '@socket/'))
  if (!url) throw new Error(`must be a URL that starts with ${starts}`)
  const { searchParams } = url
  for (const [name, value] of searchParams) requireSupported(name, value)
  requireOneHost(searchParams.get('host') ?? '')
  requireOneHost(searchParams.get('port') ?? '')
  const [mode, rootCertificate] = ['sslmode', 'sslrootcert'].map((name) => searchParams.get(name))
  if (mode === 'verify-ca' && !rootCertificate) {
    throw new Error(
      'must name the file of a certificate authority in sslrootcert with sslmode=verify-ca',
    )
  }
  if (rootCertificate === 'system' && mode !== 'verify-full') {
    throw new Error('must have sslmode=verify-full with sslrootcert=system')
  }
  if (searchParams.has('sslcert') !== searchParams.has('sslkey')) {
    throw new Error('must name both or neither of sslcert and sslkey')
  }
  return text
}

const starts = 'postgresql:// or postgres://'

function requireOneHost(hosts: string): void {
  if (!hosts.includes(',')) return
  throw new Error(
    'must name one host: for several servers, name a proxy or an address that leads to the primary',
  )
}

/** The meaning of each is that of libpq (https://www.postgresql.org/docs/current/libpq-ssl.html). */
export const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const

/** How a connection to PostgreSQL uses TLS. */
export type SslMode = (typeof sslModes)[number]

/**
 * Checks the value of `sslmode`.
 *
 * @throws Error whose message completes "<NAME> …".
 */
export function sslMode(text: string): SslMode {
  const mode = sslModes.find((each) => each === text)
  if (mode) return mode
  const supported = `sslmode must be one of ${sslModes.join(', ')}`
  if (text === 'prefer' || text === 'allow') {
    throw new Error(
      `has sslmode=${text}, which uses no TLS if anybody on the way says so: ${supported}`,
    )
  }
  throw new Error(`has an sslmode that PostgreSQL's libpq does not have: ${supported}`)
}

/** The parameters that are honored, with the values that are: every one, or those that change nothing. */
const parameters: Readonly<Record<string, 'any' | readonly string[]>> = {
  host: 'any',
  port: 'any',
  user: 'any',
  password: 'any',
  application_name: 'any',
  options: 'any',
  sslmode: 'any',
  sslrootcert: 'any',
  sslcert: 'any',
  sslkey: 'any',
  // As for libpq, the same as sslmode=require.
  ssl: ['true'],
  uselibpqcompat: ['true'],
  schema: ['public'],
  client_encoding: ['UTF8', 'utf8', 'UTF-8', 'utf-8'],
  target_session_attrs: ['any'],
  load_balance_hosts: ['disable'],
  channel_binding: ['disable', 'prefer'],
  gssencmode: ['disable', 'prefer'],
}

function requireSupported(name: string, value: string): void {
  if (name === 'sslmode') sslMode(value)
  const values = Object.hasOwn(parameters, name) ? parameters[name]! : undefined
  if (values === 'any' || values?.includes(value)) return
  if (name === 'target_session_attrs') {
    throw new Error(
      'has target_session_attrs, which is not supported: name a proxy or an address that leads to the primary',
    )
  }
  const shown = name.replaceAll(/[^\w-]/g, '?').slice(0, 40)
  throw new Error(
    values
      ? `has the parameter ${shown}, of which only ${values[0]} is supported`
      : `has the parameter ${shown}, which is not supported and would have no effect`,
  )
}
