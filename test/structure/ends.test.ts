import { expect, test } from '@jest/globals'
import { readSources } from './sources.ts'

/** A comparison of a time of expiry, such as `key.expiresAt <= now`. */
const comparison =
  /\b\w*[eE]xpiresAt(\.getTime\(\))?\)? (<|>)=? |(?<!=)(<|>)=? \(?[\w.!]*[eE]xpiresAt\b/

/** Seconds of a token, which are numbers and valid within a tolerance. */
const ofNumbers = 'packages/core/src/workloads/identity-token.ts'

test('every expiry is compared by isStillValid and endsBy, which refuse what is no valid time', async () => {
  const sources = await readSources('{packages,apps}/*/src/**/*.{ts,tsx}')
  const found = sources
    .filter(({ path, text }) => path !== ofNumbers && comparison.test(text))
    .map(({ path }) => path)
  expect(found).toEqual([])
  // The comparison finds what it must.
  expect(
    [
      'if (key.expiresAt <= now)',
      'now > secret.expiresAt',
      'idleExpiresAt.getTime() > nowMs',
    ].filter((text) => !comparison.test(text)),
  ).toEqual([])
})
