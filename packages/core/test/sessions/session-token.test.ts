import {
  createSessionSecret,
  csrfTokenOf,
  findSessionToken,
  formatSessionToken,
  hashSessionSecret,
  parseSessionToken,
  sessionCookie,
} from '@hosting/core/sessions'
import { describe, expect, test } from '@jest/globals'

const id = '01a1f97b-3862-7491-9c5f-0490471d7209'
const serverSecret = Buffer.alloc(32, 1)

describe('the token of a session', () => {
  test('is its id and 32 random bytes, and can be parsed', () => {
    const [token, another] = [createSessionSecret(id), createSessionSecret(id)]
    expect(token.secret).toMatch(/^[\w-]{43}$/)
    expect(token.secret).not.toBe(another.secret)
    expect(parseSessionToken(formatSessionToken(token))).toEqual(token)
  })

  test.each(['', id, `${id}.`, `${id}.short`, `${id}.${'a'.repeat(44)}`, `x.${'a'.repeat(43)}`])(
    '%j is not a token',
    (text) => expect(parseSessionToken(text)).toBeUndefined(),
  )

  test('hash and CSRF token depend on the server secret, the id and the secret, and differ', () => {
    const token = createSessionSecret(id)
    const otherId = { ...token, id: id.replace('0', '1') }
    const made = [
      [serverSecret, token],
      [Buffer.alloc(32, 2), token],
      [serverSecret, otherId],
      [serverSecret, createSessionSecret(id)],
    ] as const
    const hashes = made.map(([secret, of]) => hashSessionSecret(secret, of).toString('base64url'))
    const csrfTokens = made.map(([secret, of]) => csrfTokenOf(secret, of))
    expect(new Set([...hashes, ...csrfTokens]).size).toBe(8)
    expect(hashSessionSecret(serverSecret, token)).toHaveLength(32)
  })
})

describe('the cookie', () => {
  const token = { id, secret: 'a'.repeat(43) }

  test('is __Host- and Secure over HTTPS, and removed by Max-Age=0', () => {
    expect(sessionCookie(true, token)).toBe(
      `__Host-session=${id}.${token.secret}; Path=/; Secure; HttpOnly; SameSite=Lax`,
    )
    expect(sessionCookie(false, token)).toBe(
      `session=${id}.${token.secret}; Path=/; HttpOnly; SameSite=Lax`,
    )
    expect(sessionCookie(true, undefined)).toBe(
      '__Host-session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0',
    )
  })

  test('is found among others by its exact name', () => {
    const text = formatSessionToken(token)
    expect(findSessionToken(false, `a=1; session=${text};b=2`)).toEqual(token)
    expect(findSessionToken(true, `session=${text}`)).toBeUndefined()
    expect(findSessionToken(false, `__Host-session=${text}`)).toBeUndefined()
    expect(findSessionToken(false, undefined)).toBeUndefined()
  })
})
