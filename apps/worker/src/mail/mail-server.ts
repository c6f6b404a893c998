import { ConfigurationError, publicUrlOf, type Config } from '@hosting/core/configuration'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { getCACertificates } from 'node:tls'
import { domainToASCII } from 'node:url'

/** The mail server of this installation, and how it is spoken to. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** Whether TLS starts with the connection, and not with STARTTLS. */
  readonly isImplicit: boolean
  /** Whether nothing is sent without TLS. */
  readonly needsTls: boolean
  /** Whether the certificate is verified: otherwise TLS is opportunistic (RFC 7435). */
  readonly verifies: boolean
  /** The authorities of certificates, as PEM; `undefined`: those of Node. */
  readonly ca: string[] | undefined
  readonly credentials: { readonly user: string; readonly pass: string } | undefined
  /** The name that this installation greets with (RFC 5321, section 4.1.1.1). */
  readonly name: string
}

/** The mail server of the configuration; `undefined` if mail is not configured. */
export function mailServerOf(config: Config): MailServer | undefined {
  if (config.smtpUrl === undefined) return undefined
  const { protocol, hostname, port, username, password } = new URL(config.smtpUrl.reveal())
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const isImplicit = protocol === 'smtps:'
  const credentials = username
    ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    : undefined
  const ca = config.smtpCa === undefined ? undefined : readAuthorities(config.smtpCa)
  return {
    host,
    port: port ? Number(port) : isImplicit ? 465 : 587,
    isImplicit,
    needsTls: !isImplicit && (ca !== undefined || (credentials !== undefined && !isLoopback(host))),
    verifies: isImplicit || ca !== undefined || credentials !== undefined,
    ca: ca === undefined ? undefined : [...getCACertificates('default'), ...ca],
    credentials,
    name: config.smtpName ?? nameOf(config),
  }
}

/** Finds errors of the files that the settings of mail name. */
export function findMailErrors({ smtpCa }: Partial<Config>): readonly string[] {
  try {
    if (smtpCa !== undefined) readAuthorities(smtpCa)
    return []
  } catch (error) {
    return (error as ConfigurationError).errors
  }
}

/** Reads a PEM file with certificates. @throws ConfigurationError */
function readAuthorities(path: string): string[] {
  try {
    const blocks = readFileSync(path, 'utf8').match(pemBlock) ?? ['']
    return blocks.map((block) => new X509Certificate(block).toString())
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException
    const what = syscall ? `cannot be read (${code})` : 'has no certificate in PEM'
    throw new ConfigurationError([`SMTP_CA ${what}: ${path}`])
  }
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The host of `PUBLIC_URL` if it is a name, or else the domain of `MAIL_FROM`. */
function nameOf(config: Config): string {
  const { hostname } = new URL(publicUrlOf(config))
  if (/^[^.[].*\.[^.\d]+$/.test(hostname)) return hostname
  const domain = config.mailFrom?.address.split('@').at(-1) ?? hostname
  return domainToASCII(domain) || domain
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
