import { globalUnicast, refusedUnicast } from '@hosting/core/network'
import { expect, test } from '@jest/globals'
import { refusedBlocks } from '../../packages/core/test/network/special-purpose.ts'
import { readSources } from './sources.ts'

const [webhooks] = await readSources('docs/specification/webhooks.md')
const section = webhooks!.text.split('\n## Addresses\n')[1]!.split('\n## ')[0]!

/** A single address is written without the length of its prefix. */
const written = (range: string): string => range.replace(/\/32$/, '')

test.each([globalUnicast, ...refusedUnicast])(
  'the specification of webhook addresses names %s',
  (range) => {
    expect(section).toContain(`\`${written(range)}\``)
  },
)

test('the tests of the address policy cover each refused range', () => {
  const covered = new Set(refusedBlocks.map(([, cidr]) => cidr))
  expect(refusedUnicast.filter((range) => !covered.has(range))).toEqual([])
})
