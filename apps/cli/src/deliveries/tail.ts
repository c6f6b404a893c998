import { pageItemsMax } from '@hosting/core/lists'
import { ApiProblem, type Client, type Delivery } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { isUnreachable } from '../exit-codes.ts'
import { integer } from '../options.ts'
import { formatTime, printable } from '../terminal/text.ts'
import { endpointLabel, lastResult } from './display.ts'
import { filterOptions, toQuery } from './filters.ts'
import { statusLabel } from './outcomes.ts'

/** Between polls: 20 requests per minute leave the key's rate limit to other programs. */
const pollIntervalMs = 3_000
const retryDelayMaxMs = 60_000

/** Deliveries read per poll, if all of the newest page is new. */
const readMax = 1_000

export const tail = command({
  path: 'deliveries tail',
  summary: 'Follow deliveries: print each delivery when it is created and when it changes',
  examples: ['hctl deliveries tail', 'hctl deliveries tail --status failed'],
  options: {
    ...filterOptions,
    lines: integer('n', 'Number of existing deliveries to print first (default 10)'),
  },
  async run(context, { lines = 10, ...filters }) {
    const { environment, output } = context
    const client = await signedInClient(context)
    const query = { ...toQuery(filters), limit: pageItemsMax }
    const follower = new Follower()
    const first = follower.takeChanges(await readNewest(client, query, follower))
    for (const delivery of lines > 0 ? first.slice(-lines) : []) print(context, delivery)
    for (let failures = 0; ;) {
      await environment.sleep(delayAfter(failures), environment.signal)
      try {
        const changed = follower.takeChanges(await readNewest(client, query, follower))
        for (const delivery of changed) print(context, delivery)
        failures = 0
      } catch (error) {
        if (!isTemporary(error)) throw error
        failures += 1
        output.warn(`${printable((error as Error).message)} Retrying.`)
      }
    }
  },
})

const delayAfter = (failures: number): number =>
  Math.min(pollIntervalMs * 2 ** failures, retryDelayMaxMs)

const isTemporary = (error: unknown): boolean =>
  isUnreachable(error) || (error instanceof ApiProblem && error.status === 429)

/** Remembers the state of recent deliveries, to tell which ones changed. */
class Follower {
  readonly #states = new Map<string, string>()
  hasStarted = false

  knows({ id }: Delivery): boolean {
    return this.#states.has(id)
  }

  /** Takes the newest deliveries; returns those that are new or changed, oldest first. */
  takeChanges(newest: readonly Delivery[]): Delivery[] {
    this.hasStarted = true
    const changed = newest.filter((each) => this.#states.get(each.id) !== stateOf(each))
    for (const delivery of newest) this.#states.set(delivery.id, stateOf(delivery))
    const ids = [...this.#states.keys()].toSorted()
    // Ids are ordered by time: forget the oldest.
    for (const id of ids.slice(0, -2 * readMax)) this.#states.delete(id)
    return changed.toReversed()
  }
}

const stateOf = ({ status, attempt_count }: Delivery): string => `${status} ${attempt_count}`

type Query = ReturnType<typeof toQuery> & { readonly limit: number }

/** Reads the newest page, and further pages while every delivery in them is new. */
async function readNewest(client: Client, query: Query, follower: Follower): Promise<Delivery[]> {
  const newest: Delivery[] = []
  let hasKnown = !follower.hasStarted
  for await (const delivery of client.items('/webhook-deliveries', { params: { query } })) {
    if (newest.length >= (hasKnown ? pageItemsMax : readMax)) break
    newest.push(delivery)
    hasKnown ||= follower.knows(delivery)
  }
  return newest
}

function print({ output }: Context, delivery: Delivery): void {
  if (output.json) {
    output.jsonLine(delivery)
    return
  }
  const { id, status, last_attempt: last, event } = delivery
  const color = status === 'succeeded' ? 'green' : status === 'dead' ? 'red' : 'yellow'
  const time = formatTime(last && status !== 'queued' ? last.started_at : delivery.created_at)
  const result = last ? `  ${lastResult(delivery)} (${last.duration_ms} ms)` : ''
  const label = output.styled(color, statusLabel(status).padEnd(9))
  const what = printable(`${event.type}  ${endpointLabel(delivery)}`)
  output.lines([`${time}  ${label}  ${id}  ${what}${result}`])
}
