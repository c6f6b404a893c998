import { contrastOf, textContrastMin } from '../branding/color.ts'
import { isTranslated, nat64 } from '../network/address-policy.ts'
import { parseNetwork, type Network } from '../network/networks.ts'
import type { KeyringKey } from '../secrets-store/index.ts'
import { Secret } from './secret.ts'

// Each parser reads the text of one variable. It throws an Error whose message completes "<NAME> …".

export const list = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`)
    }
    return value
  }
}

export function oneOf<const T extends string>(...values: T[]): (text: string) => T {
  return (text) => {
    const value = values.find((candidate) => candidate === text)
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return value
  }
}

/** Text of a given form. The message completes "<NAME> …". */
export function matching(pattern: RegExp, message: string): (text: string) => string {
  return (text) => {
    if (!pattern.test(text)) throw new Error(message)
    return text
  }
}

export function brandName(text: string): string {
  if (text.trim() !== text || text.length > 60 || /[\p{Cc}\p{Cf}]/u.test(text)) {
    throw new Error('must be 1 to 60 visible characters, with no spaces at its ends')
  }
  return text
}

export function brandColor(text: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw new Error('must be a color as #rrggbb')
  const contrast = contrastOf(text, '#ffffff')
  if (contrast < textContrastMin) {
    throw new Error(
      `must have a contrast of at least ${textContrastMin}:1 against white; it has ${contrast.toFixed(2)}:1`,
    )
  }
  return text.toLowerCase()
}

export function url(...protocols: string[]): (text: string) => string {
  const starts = protocols.map((protocol) => `${protocol}//`)
  return (text) => {
    // `redis:6379` parses as a URL without a host.
    const href = URL.parse(text)?.href
    if (!starts.some((start) => href?.startsWith(start))) {
      throw new Error(`must be a URL that starts with ${starts.join(' or ')}`)
    }
    return text
  }
}

/** The URL of a server, which may have credentials. */
export function serverUrl(...protocols: string[]): (text: string) => string {
  const parseUrl = url(...protocols)
  return (text) => {
    const { hostname, username, password } = new URL(parseUrl(text))
    if (hostname === '') throw new Error('must name a host')
    if (![username, password].every(isPercentEncoded)) {
      throw new Error('must have credentials in percent-encoding: %25 for %')
    }
    return text
  }
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const secretParsers = new WeakSet<object>()

export function secret<T>(parse: (text: string) => T): (text: string) => Secret<T> {
  const parseSecret = (text: string): Secret<T> => new Secret(parse(text))
  secretParsers.add(parseSecret)
  return parseSecret
}

/** Whether a parser is one of {@link secret}, so that the variable belongs in a secret store. */
export const parsesSecret = (parse: (text: string) => unknown): boolean => secretParsers.has(parse)

/** Where people turn to: a web page or a mail address. */
export function contact(text: string): string {
  const parsed = URL.parse(text)
  const isMail = parsed?.protocol === 'mailto:' && /^[^\s@]+@[^\s@]+$/.test(parsed.pathname)
  const isPage = parsed?.protocol === 'https:' && !parsed.username && !parsed.password
  if (!parsed || (!isMail && !isPage)) {
    throw new Error('must be a URL that starts with https:// or mailto:')
  }
  return parsed.href
}

/** A mail address with an optional display name. */
export interface MailAddress {
  readonly name: string | undefined
  readonly address: string
}

export function mailAddress(text: string): MailAddress {
  const [, name, bracketed] = /^(.*?)\s*<([^<>]+)>$/.exec(text) ?? []
  const address = bracketed ?? text
  if (!/^[^\s@<>",;:]+@[^\s@<>",;:]+$/.test(address) || /[\r\n]/.test(text)) {
    throw new Error('must be an email address: notices@example.com or Name <notices@example.com>')
  }
  return { name: name?.replace(/^"(.*)"$/, '$1') || undefined, address }
}

/** A URL that paths are added to. */
export function baseUrl(text: string): string {
  const parsed = new URL(url('http:', 'https:')(text))
  if (/[?#]/.test(parsed.href) || parsed.username || parsed.password) {
    throw new Error('must have no query, fragment or credentials')
  }
  return parsed.href.replace(/\/$/, '')
}

/** The URL of the service. It is part of code that people run: downloads, and commands in documentation and panel. */
export function publicUrl(text: string): string {
  const base = baseUrl(text)
  if (/[^\w:/.~%[\]-]/.test(base)) {
    throw new Error('must have only letters, digits and any of - . _ ~ % in its host')
  }
  if (new URL(base).pathname !== '/') {
    throw new Error('must have no path: the service needs a host name of its own')
  }
  return base
}

/** The URL of a mail server: nothing after the port is used. */
export function mailServerUrl(text: string): string {
  const parsed = new URL(serverUrl('smtp:', 'smtps:')(text))
  if (!/^\/?$/.test(parsed.pathname) || /[?#]/.test(parsed.href)) {
    throw new Error('must have no path, query or fragment: nothing in them would be used')
  }
  return text
}

/** An OpenID Connect issuer. Plain HTTP would reveal codes and tokens, so only loopback may use it. */
export function issuer(text: string): string {
  const { protocol, hostname } = new URL(baseUrl(text))
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  if (protocol === 'http:' && !isLoopback) {
    throw new Error('must start with https://; http:// is accepted on loopback only')
  }
  return text
}

export function redisNodes(text: string): string[] {
  const nodes = list(text)
  if (nodes.length === 0) throw new Error('must name at least one node')
  if (nodes.some((node) => /[?#]/.test(node))) {
    throw new Error('must have no query or fragment: nothing in them would be used')
  }
  return nodes.map(serverUrl('redis:', 'rediss:'))
}

export function networks(text: string): Network[] {
  return list(text).map((entry) => {
    try {
      return parseNetwork(entry)
    } catch (error) {
      throw new Error(`has an entry, ${entry}, that ${(error as Error).message}`, {
        cause: error,
      })
    }
  })
}

/** Networks that an address policy compares addresses with. */
export function policyNetworks(text: string): Network[] {
  const parsed = networks(text)
  if (parsed.some(isTranslated)) {
    throw new Error(
      `must name IPv4 networks as such: an address in ${nat64} is judged by the IPv4 address in it`,
    )
  }
  return parsed
}

/** A service token of the internal API. */
export interface ServiceToken {
  /** The service that has the token; null if the configuration does not name it. */
  readonly service: string | null
  /** SHA-256 of the token. */
  readonly hash: Buffer
}

export function serviceTokens(text: string): ServiceToken[] {
  return list(text).map((entry) => {
    const [, service = null, digits] = /^(?:([\w.-]{1,64}):)?([0-9a-f]{64})$/i.exec(entry) ?? []
    if (digits === undefined) {
      throw new Error(
        'must list SHA-256 hashes of 64 hex digits, not the tokens themselves, each optionally as <name>:<hash>',
      )
    }
    return { service, hash: Buffer.from(digits, 'hex') }
  })
}

export function keyring(text: string): KeyringKey[] {
  const keys = list(text).map((entry) => {
    const [id = '', encoded = '', ...rest] = entry.split(':')
    const key = base64(encoded)
    if (!/^[\w.-]{1,64}$/.test(id) || rest.length > 0 || key?.length !== 32) {
      throw new Error('must list <id>:<base64 of 32 bytes>')
    }
    return { id, key }
  })
  if (keys.length === 0) throw new Error('must list at least one key')
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new Error('has an id twice')
  return keys
}

export function serverSecret(text: string): Buffer {
  const bytes = base64(text)
  if (!bytes || bytes.length < 32) throw new Error('must be 32 bytes or more in base64')
  return bytes
}

/** The versions of the server secret: the first creates keyed hashes, all verify them. */
export type ServerSecrets = readonly [Buffer, ...Buffer[]]

export function serverSecrets(text: string): ServerSecrets {
  if (!/[:,]/.test(text)) return [serverSecret(text)]
  const versions = list(text).map((entry) => {
    const [id = '', encoded = '', ...rest] = entry.split(':')
    const bytes = base64(encoded)
    if (!/^[\w.-]{1,64}$/.test(id) || rest.length > 0 || !bytes || bytes.length < 32) {
      throw new Error('must be one secret, or list <id>:<base64 of 32 bytes or more>')
    }
    return { id, bytes }
  })
  const [first, ...older] = versions
  if (!first) throw new Error('must list at least one secret')
  if (new Set(versions.map(({ id }) => id)).size < versions.length) {
    throw new Error('has an id twice')
  }
  return [first.bytes, ...older.map(({ bytes }) => bytes)]
}

/** Node ignores characters that are not base64, so a typo would silently produce a different key. */
const base64 = (text: string): Buffer | undefined =>
  /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined

export function retryDelays(text: string): number[] {
  const delays = list(text).map(seconds(0, 30 * 86_400))
  if (delays.length === 0) throw new Error('must list at least one delay')
  return delays
}

export const seconds =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+(\.\d+)?$/.test(text) || value < min || value > max) {
      throw new Error(`must be a number of seconds from ${min} to ${max}`)
    }
    return value * 1_000
  }

export function ratio(text: string): number {
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value > 1) throw new Error('must be a number from 0 to 1')
  return value
}
