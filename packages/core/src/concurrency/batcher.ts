/** An item waited for its call for longer than `waitMsMax`. Nothing was done with it. */
export class WaitedTooLong extends Error {
  constructor() {
    super('The item waited too long for its call.')
    this.name = 'WaitedTooLong'
  }
}

/**
 * Batches the items of concurrent callers into one call. Each caller waits for the call with its item.
 *
 * @param run - processes a batch and returns a result per item, in order.
 * @param options - `sizeMax`: maximum total size of a call; `callsMax`: maximum concurrent calls, for which
 *   further items wait. `sizeOf`: the size of an item, 1 by default. An item larger than `sizeMax` gets its own call.
 *   `waitMsMax`: how long an item waits for its call, in ms; without a limit by default. `goneOf`: a signal whose
 *   abortion removes an item that still waits. An item in a call is not affected by either. `window`: see {@link Window}.
 * @returns a function that rejects with what `run` throws, with {@link WaitedTooLong}, or with the signal's reason.
 */
export function createBatcher<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { sizeMax, callsMax, sizeOf = () => 1, window, ...waiting }: BatcherOptions<Item>,
): (item: Item) => Promise<Result> {
  const gathered: Entry<Item, Result>[] = []
  const limitWait = createWaitLimit(gathered, waiting)
  const gather = createWindow(window)
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
      const entry = { item, resolve, reject, sinceMs: performance.now() }
      gathered.push(entry)
      limitWait(entry)
      gather(gathered.length, schedule)
    })
}

/** Returns a function that starts a call for the items that wait: immediately, or at the end of the window. */
function createWindow(window: Window | undefined): (count: number, start: () => void) => void {
  if (!window) return (_, start) => start()
  const { ms, gapMs, countMax } = window
  let timer: NodeJS.Timeout | undefined
  let lastMs = -Infinity
  return (count, start) => {
    const nowMs = performance.now()
    const isBusy = nowMs - lastMs <= gapMs
    lastMs = nowMs
    if (!isBusy || count >= countMax) {
      clearTimeout(timer)
      timer = undefined
      start()
    } else {
      timer ??= setTimeout(() => {
        timer = undefined
        start()
      }, ms)
    }
  }
}

/** Returns a function that rejects and removes an entry of a queue when it has waited too long or its caller is gone. */
function createWaitLimit<Item, Result>(
  gathered: Entry<Item, Result>[],
  { waitMsMax = Infinity, goneOf }: Pick<BatcherOptions<Item>, 'waitMsMax' | 'goneOf'>,
): (entry: Entry<Item, Result>) => void {
  let timer: NodeJS.Timeout | undefined

  /** One timer for all entries, because they expire in their order. */
  function expire(): void {
    timer = undefined
    const nowMs = performance.now()
    while (gathered.length > 0 && nowMs - gathered[0]!.sinceMs >= waitMsMax) {
      gathered.shift()!.reject(new WaitedTooLong())
    }
    if (gathered.length > 0) timer = setTimeout(expire, gathered[0]!.sinceMs + waitMsMax - nowMs)
  }

  function remove(entry: Entry<Item, Result>, reason: unknown): void {
    const index = gathered.indexOf(entry)
    if (index < 0) return
    gathered.splice(index, 1)
    entry.reject(reason)
  }

  return (entry) => {
    if (waitMsMax !== Infinity) timer ??= setTimeout(expire, waitMsMax)
    const gone = goneOf?.(entry.item)
    if (gone?.aborted) remove(entry, gone.reason)
    else gone?.addEventListener('abort', () => remove(entry, gone.reason))
  }
}

/**
 * Lets items of a busy batcher wait for others, so that they share a call. An item that follows the one before by more
 * than `gapMs` does not wait. Others wait for at most `ms`, or until `countMax` of them wait.
 */
interface Window {
  readonly ms: number
  readonly gapMs: number
  readonly countMax: number
}

interface BatcherOptions<Item> {
  readonly sizeMax: number
  readonly callsMax: number
  readonly sizeOf?: (item: Item) => number
  readonly waitMsMax?: number
  readonly goneOf?: (item: Item) => AbortSignal
  readonly window?: Window
}

interface Entry<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
  readonly sinceMs: number
}
