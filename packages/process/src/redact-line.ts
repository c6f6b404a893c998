import { keyTokensInText } from '@hosting/core/api-keys'
import { uuidSource } from '@hosting/core/ids'

/** Names of members that hold secrets. They match anywhere in a name. */
const secretWords =
  'password|secret|token|authorization|cookie|otpauth_uri|totp_code|recovery_code|device_code|user_code'

type Rule = readonly [pattern: RegExp, replacement: string]

/** Tokens of this service. Public parts, such as a key id, remain. */
const tokenRules: readonly Rule[] = [
  [/hctl_([a-z2-7]{12}_)?\w+/g, 'hctl_$1[secret]'],
  [keyTokensInText, '$1[secret]'],
  [/whsec_[\w+/=-]+/g, 'whsec_[secret]'],
  [new RegExp(`(${uuidSource})\\.[\\w-]{43}`, 'g'), '$1.[secret]'],
]

/** Patterns of secrets in a text and their replacements. */
const rules: readonly Rule[] = [
  // A member in JSON or as Node prints it. The text may be JSON within JSON, with escaped quotes.
  [
    new RegExp(`((?:${secretWords})\\w*(?:\\\\*")?\\s*[:=]\\s*(\\\\*["']))[^]*?(?<!\\\\)\\2`, 'gi'),
    '$1[secret]$2',
  ],
  [new RegExp(`((?:${secretWords})\\w*(?:\\\\*")?\\s*:\\s*\\[)[^\\]]*\\]`, 'gi'), '$1]'],
  // A field of a form or of a connection string.
  [new RegExp(`((?:${secretWords})\\w*=)[^\\s&;,"'\\\\]+`, 'gi'), '$1[secret]'],
  ...tokenRules,
  [/\b(Bearer|Basic)(\s+)[\w.~+/=-]+/gi, '$1$2[secret]'],
  // The password and the query of a URL.
  [/(\w:\/\/[^\s:@/"\\]*):[^\s@/"\\]+@/gi, '$1:[secret]@'],
  [/(\w:\/\/[^\s?#"\\]+)\?[^\s"\\]*/gi, '$1?[query]'],
]

const secretName = new RegExp(secretWords, 'i')
/** A fast check: most lines contain none of these and need no redaction. */
const suspicious = new RegExp(
  `${secretWords}|hctl_|_[a-z2-7]{12}_|whsec_|bearer|basic|://|\\.[\\w-]{43}`,
  'i',
)

/**
 * Removes what looks like a secret from a line of JSON. No secret is logged on purpose. This covers error messages
 * that repeat their input, and members that should not have been logged.
 */
export function redactLine(line: string): string {
  if (!suspicious.test(line)) return line
  return `${JSON.stringify(JSON.parse(line, redactMember))}\n`
}

function redactMember(name: string, value: unknown): unknown {
  const isText = typeof value === 'string'
  if ((isText || Array.isArray(value)) && secretName.test(name)) return '[secret]'
  return isText ? redactText(value) : value
}

const redactText = (text: string): string => redactWith(rules, text)

/** Removes the secrets of tokens of this service from the path of a request, percent-encoded or not. */
export function redactPath(path: string): string {
  const decoded = decodedOf(path)
  const redacted = redactWith(tokenRules, decoded)
  return redacted === decoded ? path : encodeURI(redacted)
}

function decodedOf(path: string, times = decodedMax): string {
  try {
    const decoded = decodeURIComponent(path)
    return decoded === path || times === 1 ? decoded : decodedOf(decoded, times - 1)
  } catch {
    return path
  }
}

/** Proxies and clients may encode a path again. */
const decodedMax = 3

const redactWith = (given: readonly Rule[], text: string): string =>
  given.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text)
