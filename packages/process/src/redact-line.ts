/** What a member is called that holds a secret, whatever stands before and after these words. */
const secretWords =
  'password|secret|token|authorization|cookie|otpauth_uri|totp_code|recovery_code|device_code|user_code'

/** What looks like a secret in a text, and what stands in its place. What is public of it stays. */
const rules: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // A member of JSON, or as Node prints it; the text may be JSON in JSON, with its quotes escaped.
  [
    new RegExp(`((?:${secretWords})\\w*(?:\\\\*")?\\s*[:=]\\s*(\\\\*["']))[^]*?(?<!\\\\)\\2`, 'gi'),
    '$1[secret]$2',
  ],
  [new RegExp(`((?:${secretWords})\\w*(?:\\\\*")?\\s*:\\s*\\[)[^\\]]*\\]`, 'gi'), '$1]'],
  // Of a form or a connection string.
  [new RegExp(`((?:${secretWords})\\w*=)[^\\s&;,"'\\\\]+`, 'gi'), '$1[secret]'],
  // Tokens of ours, wherever they stand.
  [/hctl_([a-z2-7]{12}_)?\w+/g, 'hctl_$1[secret]'],
  [/whsec_[\w+/=-]+/g, 'whsec_[secret]'],
  [/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}/g, '$1.[secret]'],
  [/\b(Bearer|Basic)(\s+)[\w.~+/=-]+/gi, '$1$2[secret]'],
  // Of a URL its password and its query.
  [/(\w:\/\/[^\s:@/"\\]*):[^\s@/"\\]+@/gi, '$1:[secret]@'],
  [/(\w:\/\/[^\s?#"\\]+)\?[^\s"\\]*/gi, '$1?[query]'],
]

const secretName = new RegExp(secretWords, 'i')
/** Most lines are let through by this alone. */
const suspicious = new RegExp(`${secretWords}|hctl_|whsec_|bearer|basic|://|\\.[\\w-]{43}`, 'i')

/**
 * A line of JSON without what looks like a secret. No secret is logged on purpose: this is for the text of
 * an error that repeats what it was given, and for a member that should not have been logged.
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

const redactText = (text: string): string =>
  rules.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text)
