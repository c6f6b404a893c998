import { randomFillSync } from 'node:crypto'

/**
 * Mints a UUIDv7 (RFC 9562, section 5.7): 48 bits of Unix time in ms, then 74 random bits.
 *
 * @param nowMs - Unix time in milliseconds.
 * @param fillRandom - fills a buffer with random bytes.
 */
export function createUuidv7(
  nowMs: number = Date.now(),
  fillRandom: (bytes: Buffer) => void = fillFromPool,
): string {
  const bytes = Buffer.allocUnsafe(16)
  fillRandom(bytes)
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return format(bytes)
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
