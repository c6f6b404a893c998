import { describe, expect, test } from '@jest/globals'
import { readRequestedScopes } from '../../src/oauth/token-request.ts'

describe('readRequestedScopes', () => {
  test.each([
    ['', null],
    ['  ', null],
    ['openid profile offline_access', null],
    ['sites:read', ['sites:read']],
    [' sites:read  openid *:read sites:read ', ['sites:read', '*:read']],
  ])('reads %j', (text, scopes) => {
    expect(readRequestedScopes(text)).toEqual({ scopes })
  })

  test.each([
    ['sites:read x', 'x'],
    ['*:write', '*:write'],
    ['sites:read\tdns:read', 'sites:read\tdns:read'],
    ['SITES:READ', 'SITES:READ'],
    ['constructor', 'constructor'],
  ])('refuses %j', (text, unknown) => {
    expect(readRequestedScopes(text)).toEqual({ unknown })
  })
})
