import { describe, expect, test } from '@jest/globals'
import { failureOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)

describe('--jq', () => {
  test('prints each result on a line: strings as they are, other values as JSON', async () => {
    const filter = '.items[0].scope, (.items | length > 1), (.items[0] | {scope})'
    const { code, stdout } = await hctl(['keys', 'scopes', '--jq', filter])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^(\S+)\ntrue\n\{"scope":"\1"\}\n$/)
  })

  test('filters what hctl api prints, and each line of a command that keeps running', async () => {
    expect(await hctl(['api', 'GET', '/auth/me', '--jq', '.user.kind'])).toMatchObject({
      code: 0,
      stdout: 'human\n',
    })
  })

  test('that finds nothing prints nothing', async () => {
    expect(await hctl(['keys', 'scopes', '--jq', '.nothing[]?'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('that is not valid exits with 2, and one that fails with 1, as JSON', async () => {
    const invalid = await hctl(['keys', 'scopes', '--jq', '.items['])
    expect(failureOf(invalid)).toEqual({ exit: 2, code: 'usage' })
    const failed = await hctl(['keys', 'scopes', '--jq', '.items | unknown(1)'])
    expect(failureOf(failed)).toEqual({ exit: 1, code: 'filter_failed' })
  })
})
