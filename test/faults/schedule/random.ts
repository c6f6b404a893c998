/** Random numbers that a seed determines. */
export interface Random {
  /** From 0 up to 1. */
  next(): number
  /** A whole number from `least` to `most`. */
  integer(least: number, most: number): number
  pick<Item>(items: readonly Item[]): Item
  isTrue(probability: number): boolean
  /** A generator that further use of this one does not affect. */
  fork(): Random
}

/** The generator Mulberry32. @param seed - 32 bits. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (least: number, most: number): number =>
    least + Math.floor(next() * (most - least + 1))
  return {
    next,
    integer,
    pick: (items) => items[integer(0, items.length - 1)]!,
    isTrue: (probability) => next() < probability,
    fork: () => createRandom(integer(0, 2 ** 32 - 1)),
  }
}
