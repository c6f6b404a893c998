import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { EventStreamParser } from '../../src/listen/listen.ts'

const text = `: hello\r\n\r\ndata: {"secret":"ü"}\n\nevent: end\rdata:one\ndata: two\r\n\r\n: beat\n\nid: 4\nnothing\n\n`
const messages = [
  { event: 'message', data: '{"secret":"ü"}' },
  { event: 'end', data: 'one\ntwo' },
]

test('EventStreamParser returns the same messages however the bytes are split', () => {
  const bytes = new TextEncoder().encode(text)
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const parser = new EventStreamParser()
      const ends = [...cuts.toSorted((a, b) => a - b), bytes.length]
      const parsed = ends.flatMap((end, at) => parser.push(bytes.subarray(ends[at - 1] ?? 0, end)))
      expect(parsed).toEqual(messages)
    }),
  )
})

test('EventStreamParser rejects a message longer than 4 MiB', () => {
  const parser = new EventStreamParser()
  const line = new TextEncoder().encode(`data: ${'x'.repeat(2 ** 20)}\n`)
  expect(() => {
    for (let count = 0; count < 5; count++) parser.push(line)
  }).toThrow(RangeError)
})
