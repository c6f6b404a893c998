import type { PublishedEvent, RecordedDelivery } from '../history/entries.ts'
import { possible, seconds, succeeded, type HistoryView, type Rule } from './history-view.ts'

/** Every accepted event has one delivery to each of its endpoints, and nothing else is delivered. */
export const accepted: Rule = (history) => {
  const originals = Map.groupBy(
    [...history.records.values()].filter(
      ({ redeliveryOf, type }) => redeliveryOf === null && type !== 'webhook.ping',
    ),
    ({ event, endpoint }) => pairOf(event, endpoint),
  )
  const events = publishedEvents(history)
  const wrong: string[] = []
  for (const { event, least } of events.values()) {
    for (const endpoint of history.run.endpoints) {
      const count = originals.get(pairOf(event.id, endpoint.id))?.length ?? 0
      const most = isSubscribed(history, event, endpoint.id) ? 1 : 0
      const expected = Math.min(most, least.has(endpoint.id) ? 1 : 0)
      if (count < expected) wrong.push(`event ${event.id} has no delivery to ${endpoint.id}`)
      if (count > most) wrong.push(`event ${event.id} has ${count} deliveries to ${endpoint.id}`)
    }
  }
  const unknown = [...originals.values()].flat().filter(({ event }) => !events.has(event))
  return [
    ...wrong,
    ...unknown.map(({ delivery, event }) => `${delivery}: nobody published its event ${event}`),
  ]
}

const pairOf = (event: string, endpoint: string): string => `${event} ${endpoint}`

/** How long a publish may wait for PostgreSQL before it is refused, in ms. */
const publishMs = 5_000

/** Every publish is accepted, unless an API or PostgreSQL fails. The other parts of the system are not needed for it. */
export const publishable: Rule = (history) =>
  history
    .of('publish')
    .filter(({ type }) => type !== 'ok')
    .filter(({ from, to }) => {
      const span = { from: from - publishMs, to }
      return !history.isDisturbed(span, ['api', 'postgres']) && !history.isOverloaded(span)
    })
    .map(
      ({ from, to }) =>
        `a publish from ${seconds(from)} to ${seconds(to)} was not accepted, and no fault explains it`,
    )

interface Published {
  readonly event: PublishedEvent
  /** The endpoints that must get it. */
  readonly least: Set<string>
}

/** The events that were or may have been accepted. */
function publishedEvents(history: HistoryView): Map<string, Published> {
  const events = new Map<string, Published>()
  for (const { value, type, to } of possible(history.of('publish'))) {
    for (const event of value.events) {
      const published = events.get(event.id) ?? { event, least: new Set<string>() }
      events.set(event.id, published)
      if (type !== 'ok') continue
      const certain = history.run.endpoints.filter(({ id }) => !isDeletedBefore(history, id, to))
      for (const { id } of certain) published.least.add(id)
    }
  }
  return events
}

/** Whether a deletion of the endpoint had begun. */
const isDeletedBefore = (history: HistoryView, endpoint: string, at: number): boolean =>
  possible(history.of('delete')).some(({ value, from }) => value.endpoint === endpoint && from < at)

const isSubscribed = ({ endpoints }: HistoryView, event: PublishedEvent, id: string): boolean => {
  const { tenant, types } = endpoints.get(id)!
  return tenant === event.tenant && types.includes(event.type)
}

/**
 * Every delivery is in the queue or in the history at every moment, and never in both. The deliveries that an event got when
 * it was published are counted.
 */
export const inOnePlace: Rule = (history) =>
  history
    .of('read places')
    .flatMap(({ from, result }) =>
      (result?.misplaced ?? []).map((message) => `${message} at ${seconds(from)}`),
    )

/** Every delivery ends: acknowledged by the receiver, dead after all attempts, or its endpoint was deleted. */
export const ended: Rule = (history) =>
  [...history.records.values()].flatMap((record) => findUnended(history, record) ?? [])

function findUnended(history: HistoryView, record: RecordedDelivery): string | undefined {
  const { delivery, outcome, endpoint, attempts } = record
  const attemptsMax = history.run.retryDelaysMs.length + 1
  if (outcome === null) return `${delivery}: has no outcome after ${attempts.length} attempts`
  if (outcome === 'succeeded') {
    const isAcknowledged = history.arrivalsOf(delivery).some(({ result }) => isSuccess(result))
    return isAcknowledged
      ? undefined
      : `${delivery}: succeeded, but its receiver never responded 2xx`
  }
  const isDeleted = possible(history.of('delete')).some(({ value }) => value.endpoint === endpoint)
  if (attempts.length === attemptsMax || isDeleted) return undefined
  return `${delivery}: dead after ${attempts.length} attempts`
}

export const isSuccess = (result: { readonly status: number } | undefined): boolean =>
  result !== undefined && result.status >= 200 && result.status < 300

/** A redelivery and a ping happen once per Idempotency-Key, and a recovery redelivers what is dead. */
export const requested: Rule = (history) => {
  const wrong: string[] = []
  const calls = [...history.of('ping'), ...history.of('redeliver')]
  for (const [key, same] of Map.groupBy(calls, ({ value }) => value.idempotencyKey)) {
    const made = new Set(succeeded(same).map(({ result }) => result!.delivery))
    if (made.size > 1) wrong.push(`idempotency key ${key}: ${[...made].join(' and ')}`)
  }
  const records = [...history.records.values()]
  for (const { id } of history.run.endpoints) {
    // A ping can be redelivered too.
    const pings = records.filter(
      ({ endpoint, type, redeliveryOf }) =>
        endpoint === id && type === 'webhook.ping' && redeliveryOf === null,
    )
    const asked = history.of('ping').filter(({ value }) => value.endpoint === id)
    wrong.push(...findMiscount(`pings of ${id}`, pings.length, asked))
  }
  for (const [delivery, asked] of Map.groupBy(
    history.of('redeliver'),
    ({ value }) => value.delivery,
  )) {
    // Recoveries redeliver too, but only what is dead.
    if (history.records.get(delivery)?.outcome !== 'succeeded') continue
    const made = records.filter(({ redeliveryOf }) => redeliveryOf === delivery)
    wrong.push(...findMiscount(`redeliveries of ${delivery}`, made.length, asked))
  }
  return wrong
}

type Asked = ReturnType<HistoryView['of']>[number] & {
  readonly value: { readonly idempotencyKey: string }
}

function findMiscount(what: string, count: number, asked: readonly Asked[]): string[] {
  const keysOf = (calls: readonly Asked[]): number =>
    new Set(calls.map(({ value }) => value.idempotencyKey)).size
  const [least, most] = [keysOf(succeeded(asked)), keysOf(possible(asked))]
  if (count >= least && count <= most) return []
  return [`${count} ${what}, but ${least} to ${most} were requested`]
}

/** A recovery redelivers every delivery that was dead when it was requested. */
export const recovered: Rule = (history) => {
  const records = [...history.records.values()]
  return succeeded(history.of('recover')).flatMap(({ value: { endpoint }, from }) => {
    const isDeleted = possible(history.of('delete')).some(
      (call) => call.value.endpoint === endpoint,
    )
    if (isDeleted) return []
    const own = records.filter((record) => record.endpoint === endpoint)
    const again = new Set(own.flatMap(({ redeliveryOf }) => redeliveryOf ?? []))
    const deadBefore = ({ outcome, completedAt }: RecordedDelivery): boolean =>
      outcome === 'dead' && completedAt !== null && completedAt < from - clockMs
    return own
      .filter((record) => deadBefore(record) && !isFollowed(record, own, again))
      .map(({ delivery }) => `${delivery}: dead, but a later recovery did not redeliver it`)
  })
}

/** The clocks of PostgreSQL and of the history differ by less than this, in ms. */
const clockMs = 1_000

/** Whether it, or another delivery of its event, was redelivered. */
const isFollowed = (
  { delivery, event }: RecordedDelivery,
  own: readonly RecordedDelivery[],
  again: ReadonlySet<string>,
): boolean =>
  again.has(delivery) ||
  own.some(
    (other) => other.event === event && (again.has(other.delivery) || other.redeliveryOf !== null),
  )
