/** Thrown for a token that cannot be sent. The message names the problem, and never contains the token. */
export class InvalidTokenError extends Error {
  constructor(problem: string) {
    super(`The token is not valid: ${problem}.`)
    this.name = 'InvalidTokenError'
  }
}

/** In characters. Longer ones do not fit into a request that the service accepts. */
const lengthMax = 16_000

/** What people paste or store instead of a token, in the order in which it is looked for. */
const mistakes: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^$/, 'it is empty'],
  [new RegExp(`^[^]{${lengthMax + 1},}$`), `it is longer than ${lengthMax} characters`],
  [/\0/, 'it contains a null character'],
  [/[\r\n\u0085\u2028\u2029]/, 'it has more than one line'],
  [/^["'`\u2018-\u201F]|["'`\u2018-\u201F]$/, 'it is in quotation marks'],
  [/^bearer\s/i, 'it begins with "Bearer"; pass only what follows'],
  [
    /^(export|set|setx)\s|^\$?(env:)?[a-z_]\w*\s*=\s*[^=\s]/i,
    'it is an assignment; pass only its value',
  ],
  [/\s/, 'it contains white space'],
  [/[^!-~]/, 'it contains a character that is not printable ASCII, which may be invisible'],
]

/**
 * Returns a token without the white space around it, such as the line break at the end of a file. A byte order mark
 * counts as white space.
 *
 * @throws InvalidTokenError if what remains cannot be a token.
 */
export function requireToken(text: string): string {
  const token = text.trim()
  const found = mistakes.find(([pattern]) => pattern.test(token))
  if (found) throw new InvalidTokenError(found[1])
  return token
}

/** The characters of a header field's value (RFC 9110, section 5.5), of which `fetch` accepts those up to U+00FF. */
const fieldValue = /^[\t -~\u0080-\u00FF]*$/
const fieldName = /^[!#$%&'*+.^`|~\w-]+$/

/**
 * Builds the headers of every request. `fetch` would repeat the value of an invalid header in its error.
 *
 * @throws InvalidTokenError for a token, and TypeError for another header, that cannot be sent.
 */
export function requestHeaders(
  token: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    if (!fieldName.test(name)) throw new TypeError('The name of a header is not valid.')
    if (!fieldValue.test(value.trim())) throw new TypeError(`The header ${name} is not valid.`)
  }
  return {
    ...headers,
    ...(token !== undefined && { Authorization: `Bearer ${requireToken(token)}` }),
  }
}

/** Removes the credential of the headers from a text: a gateway may repeat the request in its error page. */
export function concealCredential(text: string, headers: Readonly<Record<string, string>>): string {
  const secrets = Object.entries(headers)
    .filter(([name]) => /^(proxy-)?authorization$/i.test(name))
    .map(([, value]) => value.trim().split(' ').at(-1)!)
  return secrets.reduce(
    (rest, secret) => (secret ? rest.replaceAll(secret, '[token]') : rest),
    text,
  )
}
