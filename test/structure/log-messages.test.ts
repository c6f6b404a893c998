import { describe, expect, test } from '@jest/globals'
import { apiMessages } from '../support/log-messages.ts'
import { readSources } from './sources.ts'

const withError = /\blog\.\w+\(\s*\{[^}]*\berr\b[^}]*\},\s*(['"])(.+?)\1/g

describe('log messages', () => {
  // Otherwise the test of the logs fails only in runs in which a missing message happens to be logged.
  test('that the API logs with an error are listed once, by their cause', async () => {
    const sources = await readSources('{apps/api,packages/process}/src/**/*.ts')
    const logged = sources.flatMap(({ text }) =>
      [...text.matchAll(withError)].map(([, , message]) => message!),
    )
    const listed = Object.values(apiMessages).flatMap((messages) => [...messages])
    expect(listed.toSorted()).toEqual([...new Set(logged)].toSorted())
  })
})
