/**
 * What is in progress at the moment: a collection, in no order, of things that come and go quickly.
 *
 * Use it instead of a Set for what many requests or attempts add and remove. A Set or Map in V8 that things are added to
 * and removed from makes a new table now and then, and each old table refers to the next. Once one of them is in the old
 * generation, V8 moves all the following ones there too, with all that was in them, and collects nothing of it before
 * the next collection of the whole heap (packages/process/README.md#memory).
 */
export class InProgress<Item> {
  readonly #entries: Entry<Item>[] = []

  get size(): number {
    return this.#entries.length
  }

  /** Adds an item. Returns a function that removes it, and has no effect when it is called again. */
  add(item: Item): () => void {
    const entry: Entry<Item> = { item, index: this.#entries.length }
    this.#entries.push(entry)
    return () => this.#remove(entry)
  }

  /** The items at this moment. */
  items(): Item[] {
    return this.#entries.map(({ item }) => item)
  }

  /** Puts the last entry in the place of the removed one. */
  #remove(entry: Entry<Item>): void {
    const { index } = entry
    if (this.#entries[index] !== entry) return
    const last = this.#entries.pop()!
    if (last === entry) return
    this.#entries[index] = last
    last.index = index
  }
}

interface Entry<Item> {
  readonly item: Item
  index: number
}
