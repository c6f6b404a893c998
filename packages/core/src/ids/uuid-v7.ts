import { randomFillSync } from 'node:crypto'
import { currentTimeMs } from '../clock/clock.ts'

let lastMs = 0
let counter = 0

/**
 * Creates a UUIDv7 (RFC 9562, section 5.7) of the current time. The ids of a process sort in order of creation. The
 * 12 bits after the version are a counter within the millisecond (section 6.2, method 1). It starts at a random
 * number that leaves room for 2,048 more. The other 62 bits are random.
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
 * Creates a UUIDv7 of a given time. All 74 other bits are random.
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

/** Random bytes are generated in large blocks, because each call costs more than everything else here. */
const pool = Buffer.alloc(4_096)
let poolUsed = pool.length

function fillFromPool(bytes: Buffer): void {
  if (poolUsed + bytes.length > pool.length) {
    randomFillSync(pool)
    poolUsed = 0
  }
  pool.copy(bytes, 0, poolUsed, (poolUsed += bytes.length))
}

/** The smallest UUIDv7 of a millisecond: `id >= lowestUuidv7(t)` means "created at `t` or later". */
export function lowestUuidv7(timeMs: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.min(Math.max(timeMs, 0), 2 ** 48 - 1), 0, 6)
  return format(bytes)
}

/** The creation time of a UUIDv7, as Unix time in milliseconds. */
export function timeOfUuidv7(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

function format(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The regular expression of a UUID as the service writes ids, in lower case and without groups. */
export const uuidSource = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** The pattern of an external id (docs/specification/external-ids.md). */
export const externalIdPattern = '^[A-Za-z0-9._:/-]{1,100}$'
