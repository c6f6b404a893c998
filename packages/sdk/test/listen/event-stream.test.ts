import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { EventStreamParser } from '../../src/listen/event-stream.ts'

const text = `: hello\r\n\r\ndata: {"secret":"ü"}\n\nevent: end\rdata:one\ndata: two\r\n\r\n: beat\n\nid: 4\nnothing\n\n`
const messages = [
  { event: 'message', data: '{"secret":"ü"}' },
  { event: 'end', data: 'one\ntwo' },
]

test('messages are the same however the bytes are cut', () => {
  const bytes = new TextEncoder().encode(text)
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const parser = new EventStreamParser()
      const ends = [...cuts.toSorted((a, b) => a - b), bytes.length]
      const got = ends.flatMap((end, at) => parser.push(bytes.subarray(ends[at - 1] ?? 0, end)))
      expect(got).toEqual(messages)
    }),
  )
})

test('a message that does not end is not kept for ever', () => {
  const parser = new EventStreamParser()
  const line = new TextEncoder().encode(`data: ${'x'.repeat(2 ** 20)}\n`)
  expect(() => {
    for (let count = 0; count < 5; count++) parser.push(line)
  }).toThrow(RangeError)
})
