import { describe, expect, test } from '@jest/globals'
import { checkKeyCounts } from '../../src/api-keys/key-caps.ts'

describe('checkKeyCounts', () => {
  test.each([
    [0, 0],
    [99, 499],
  ])(
    'there is room with %i keys of the user and %i of the organization',
    (ofUser, ofOrganization) => {
      expect(checkKeyCounts({ ofUser, ofOrganization })).toBeUndefined()
    },
  )

  test.each([
    [100, 100, 'the user already has 100'],
    [0, 500, 'the organization already has 500'],
    [100, 500, 'the user already has 100'],
    [101, 501, 'the user already has 100'],
  ])('%i and %i are refused: %s', (ofUser, ofOrganization, text) => {
    const problem = checkKeyCounts({ ofUser, ofOrganization })
    expect([problem?.code, problem?.status]).toEqual(['api_key_limit_reached', 409])
    expect(problem?.message).toContain(text)
  })
})
