import { randomInt } from 'node:crypto'

/** An address in a block of its own, which no other test comes from, since limits count by block. */
export const freshAddress = (): string => `2001:${part()}:${part()}:${part()}::1`

/** Without a leading zero, as addresses are written. */
const part = (): string => randomInt(0x1000, 0x10000).toString(16)
