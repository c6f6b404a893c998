import { decideCsrfToken, decideSource } from '@hosting/core/sessions'
import { describe, expect, test } from '@jest/globals'

const publicUrl = 'https://panel.example.com/base'
const own = 'https://panel.example.com'
const from = (
  source: { origin?: string; fetchSite?: string },
  url: string | undefined = publicUrl,
) =>
  decideSource({ origin: source.origin, fetchSite: source.fetchSite, host: 'localhost:8080' }, url)
    ?.code

describe('the source of a write', () => {
  test.each([
    [{}, undefined],
    [{ origin: own }, undefined],
    [{ origin: own, fetchSite: 'same-origin' }, undefined],
    [{ origin: 'null', fetchSite: 'same-origin' }, undefined],
    [{ origin: 'null' }, 'csrf_failed'],
    [{ origin: '' }, 'csrf_failed'],
    [{ origin: `${own}:8443` }, 'csrf_failed'],
    [{ origin: 'http://panel.example.com' }, 'csrf_failed'],
    [{ origin: 'https://evil.example', fetchSite: 'same-origin' }, 'csrf_failed'],
    [{ origin: own, fetchSite: 'cross-site' }, 'csrf_failed'],
    [{ origin: own, fetchSite: 'same-site' }, 'csrf_failed'],
    [{ fetchSite: 'none' }, 'csrf_failed'],
    [{ fetchSite: 'nonsense' }, 'csrf_failed'],
  ])('%j: %s', (source, expected) => expect(from(source)).toBe(expected))

  test('without a public URL, the own origin is that of the Host header', () => {
    const decide = (origin: string) =>
      decideSource({ origin, fetchSite: undefined, host: 'localhost:8080' }, undefined)?.code
    expect(decide('http://localhost:8080')).toBeUndefined()
    expect(decide('https://panel.example.com')).toBe('csrf_failed')
  })
})

test('only the CSRF token of the session is accepted', () => {
  expect(decideCsrfToken('token', 'token')).toBeUndefined()
  for (const shown of [undefined, '', 'Token', 'token ', 'tokentoken']) {
    expect(decideCsrfToken('token', shown)?.code).toBe('csrf_failed')
  }
})
