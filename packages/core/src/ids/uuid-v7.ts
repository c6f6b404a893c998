import { randomFillSync } from 'node:crypto'
import { currentTimeMs } from '../clock/clock.ts'

let lastMs = 0
let counter = 0

/**
 * Mints a UUIDv7 (RFC 9562, section 5.7) of the present moment. Those of a process sort in the order they were minted
 * in: the 12 bits after the version count within a millisecond, from a random number that leaves room for 2,048 more
 * (section 6.2, method 1), and 62 bits are random.
 */
export function createUuidv7(): string {
  const nowMs = currentTimeMs()
  const bytes = uuidv7Bytes(nowMs, fillFromPool)
  counter = nowMs === lastMs ? counter + 1 : bytes.readUInt16BE(6) & 0x07ff
  lastMs = nowMs
  bytes.writeUInt16BE(0x7000 | (counter & 0x0fff), 6)
  return format(bytes)
}

/**
 * The UUIDv7 of another moment, with all its 74 bits random.
 *
 * @param timeMs - Unix time in milliseconds.
 * @param fillRandom - fills a buffer with random bytes.
 */
export const createUuidv7At = (
  timeMs: number,
  fillRandom: (bytes: Buffer) => void = fillFromPool,
): string => format(uuidv7Bytes(timeMs, fillRandom))

function uuidv7Bytes(timeMs: number, fillRandom: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.allocUnsafe(16)
  fillRandom(bytes)
  bytes.writeUIntBE(timeMs, 0, 6)
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes
}

/** Randomness is drawn in large pieces, since each draw costs more than all else here. */
const pool = Buffer.alloc(4_096)
let poolUsed = pool.length

function fillFromPool(bytes: Buffer): void {
  if (poolUsed + bytes.length > pool.length) {
    randomFillSync(pool)
    poolUsed = 0
  }
  pool.copy(bytes, 0, poolUsed, (poolUsed += bytes.length))
}

/** The smallest UUID of a millisecond: `id >= lowestUuidv7(t)` is "minted at `t` or later". */
export function lowestUuidv7(timeMs: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.min(Math.max(timeMs, 0), 2 ** 48 - 1), 0, 6)
  return format(bytes)
}

/** When a UUIDv7 was minted, as Unix time in milliseconds. */
export function timeOfUuidv7(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

function format(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
