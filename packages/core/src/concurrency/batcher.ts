/**
 * Batches the items of concurrent callers into one call. Each caller waits for the call with its item.
 *
 * @param run - processes a batch and returns a result per item, in order.
 * @param options - `sizeMax`: maximum total size of a call; `callsMax`: maximum concurrent calls, for which
 *   further items wait. `sizeOf`: the size of an item, 1 by default. An item larger than `sizeMax` gets its own call.
 */
export function createBatcher<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { sizeMax, callsMax, sizeOf = () => 1 }: BatcherOptions<Item>,
): (item: Item) => Promise<Result> {
  const gathered: Entry<Item, Result>[] = []
  let calls = 0
  let scheduled = false

  function countFitting(): number {
    let size = sizeOf(gathered[0]!.item)
    let count = 1
    while (count < gathered.length && (size += sizeOf(gathered[count]!.item)) <= sizeMax) count += 1
    return count
  }

  async function flush(): Promise<void> {
    scheduled = false
    if (gathered.length === 0 || calls >= callsMax) return
    const batch = gathered.splice(0, countFitting())
    calls += 1
    if (gathered.length > 0) schedule()
    try {
      const results = await run(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      calls -= 1
      if (gathered.length > 0) schedule()
    }
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(() => void flush())
  }

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, resolve, reject })
      schedule()
    })
}

interface BatcherOptions<Item> {
  readonly sizeMax: number
  readonly callsMax: number
  readonly sizeOf?: (item: Item) => number
}

interface Entry<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}
