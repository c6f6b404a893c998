import type { Database } from '@hosting/postgres/database'
import { randomInt, randomUUID } from 'node:crypto'

/**
 * Values with the same key in an index (`keyOf`). PostgreSQL's hash adds 12 bytes to a state of three words, mixes it in a way
 * that can be reversed, and continues. So other first 12 bytes have the same hash if what follows makes up for the difference.
 */
type Words = [number, number, number]

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by))

/** Each step of mixing: it subtracts the third word from the first, combines them, and adds the second to the third. */
const rotations = [4, 6, 8, 16, 19, 4]

function mix(words: Words): Words {
  let [a, b, c] = words
  for (const by of rotations) {
    a = ((a - c) | 0) ^ rotate(c, by)
    c = (c + b) | 0
    ;[a, b, c] = [b, c, a]
  }
  return [a, b, c]
}

function unmix(words: Words): Words {
  let [a, b, c] = words
  for (const by of rotations.toReversed()) {
    ;[a, b, c] = [c, a, b]
    c = (c - b) | 0
    a = ((a ^ rotate(c, by)) + c) | 0
  }
  return [a, b, c]
}

const startOf = (length: number): Words => {
  const word = (0x9e3779b9 + length + 3923095) | 0
  return [word, word, word]
}

const add = (words: Words, others: Words, sign = 1): Words =>
  words.map((word, index) => (word + sign * others[index]!) | 0) as Words

const wordsOf = (bytes: Buffer): Words => [0, 4, 8].map((at) => bytes.readInt32LE(at)) as Words

function bytesOf(words: Words): Buffer {
  const bytes = Buffer.alloc(12)
  for (const [index, word] of words.entries()) bytes.writeInt32LE(word, index * 4)
  return bytes
}

/** Another organization id with the same hash, so that each value has the same key in both. */
export function collidingTenantId(tenantId: string): string {
  const bytes = Buffer.from(tenantId.replaceAll('-', ''), 'hex')
  const start = startOf(bytes.length)
  const last = randomInt(2 ** 31)
  const mixed = mix(add(start, wordsOf(bytes)))
  mixed[0] = (mixed[0] + bytes.readInt32LE(12) - last) | 0
  const found = Buffer.concat([bytesOf(add(unmix(mixed), start, -1)), Buffer.alloc(4)])
  found.writeInt32LE(last, 12)
  return found.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789-.'
const codes = new Set(Buffer.from(letters))

/** Two texts of 24 letters with the same key in an organization. */
export async function collidingTexts({ pool }: Database, tenantId: string) {
  const { rows } = await pool.query<{ seed: string }>('SELECT uuid_hash_extended($1, 0) AS seed', [
    tenantId,
  ])
  const seed = BigInt(rows[0]!.seed)
  const words: Words = [Number(BigInt.asIntN(32, seed >> 32n)), Number(BigInt.asIntN(32, seed)), 0]
  const start = mix(add(startOf(24), words))
  const first = randomUUID().slice(0, 12)
  const mixed = mix(add(start, wordsOf(Buffer.from(first))))
  for (;;) {
    const other = randomUUID().slice(0, 12)
    const otherMixed = mix(add(start, wordsOf(Buffer.from(other))))
    const ends = endsOf(bytesOf(add(mixed, otherMixed, -1)))
    if (other !== first && ends) return [first + ends[0], other + ends[1]] as const
  }
}

/** Two texts that differ by a number of three words, if there are any. */
function endsOf(difference: Buffer): [string, string] | undefined {
  const ends: [string, string] = ['', '']
  for (const [index, byte] of difference.entries()) {
    const carry = index % 4 === 0 ? 0 : carryOf(ends, difference, index - 1)
    const code = [...codes].find((each) => codes.has((each + byte + carry) & 255))
    if (code === undefined) return undefined
    ends[0] += String.fromCharCode(code)
    ends[1] += String.fromCharCode((code + byte + carry) & 255)
  }
  return ends
}

/** Whether the addition of a byte has carried a one into the next. */
const carryOf = ([one, other]: [string, string], difference: Buffer, index: number): number =>
  one.charCodeAt(index) + difference[index]! > other.charCodeAt(index) ? 1 : 0
