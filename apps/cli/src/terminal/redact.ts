import { keyTokensInText } from '@hosting/core/api-keys'
import type { Environment } from '../environment.ts'

/** Variables whose values must not get into the log of a build server. */
const secretVariables = ['HCTL_TOKEN', 'HCTL_ID_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'] as const

/** Shorter parts of a variable are not secret, and could be words of a message. */
const partLengthMin = 8

/** What looks like a secret, whatever it was given as, for example a token in place of an id. */
const patterns: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [keyTokensInText, '$1[secret]'],
  [/whsec_[\w+/=-]+/g, 'whsec_[secret]'],
  [/\b(Bearer|Basic)\s+[!#-&(-~]+/gi, '$1 [secret]'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[secret]'],
  [/(\w:\/\/)[^\s/"@]*:[^\s/"@]*@/g, '$1[secret]@'],
]

/** Removes secrets from a message. No message contains one on purpose: some repeat what the user or a server wrote. */
export function redact(text: string, env: Environment['env']): string {
  const parts = secretVariables
    .flatMap((name) => env[name]?.split(/[^!#-&(-_a-~]+/) ?? [])
    .filter(({ length }) => length >= partLengthMin)
    .toSorted((a, b) => b.length - a.length)
  const rest = parts.reduce((redacted, part) => redacted.replaceAll(part, '[secret]'), text)
  return patterns.reduce((redacted, [pattern, by]) => redacted.replace(pattern, by), rest)
}
