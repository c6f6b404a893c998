import { ApiProblem, type BodyOf, type Client, type ResponseOf } from '@hosting/sdk'
import type { Context } from '../context.ts'
import { CliError, usageError } from '../exit-codes.ts'
import { omitUndefined } from '../options.ts'
import { resolveReference } from '../references/resolve.ts'

type Body = BodyOf<'/webhooks/listen/replay', 'post'>

/** What `--replay` asks for. */
export interface ReplayChoice {
  /** The id of a delivery or an event, or its beginning. Absent: those that match the filters. */
  readonly id?: string
  readonly filter: Pick<Body, 'since' | 'status'>
}

/** Checks `--replay` with its filters. @throws a usage error. */
export function toReplay({
  replay,
  since,
  status,
}: {
  replay: string | true | undefined
  since: Body['since']
  status: Body['status']
}): ReplayChoice | undefined {
  const filter = omitUndefined({ since, status })
  const isFiltered = Object.keys(filter).length > 0
  if (replay === undefined) {
    if (isFiltered) throw usageError('usage', '--since and --status need --replay.')
    return undefined
  }
  if (replay === true) {
    if (isFiltered) return { filter }
    const hint = 'For example: --replay --since 1h --status failed'
    throw usageError('usage', '--replay needs an id, --since or --status.', hint)
  }
  if (isFiltered) throw usageError('usage', 'Use either an id, or --since and --status.')
  return { id: replay, filter }
}

/** Asks for deliveries on the streams that are open. @returns their number. */
export async function startReplay(
  context: Context,
  client: Client,
  { id, filter }: ReplayChoice,
): Promise<number> {
  const { deliveries } =
    id === undefined ? await send(client, filter) : await replayNamed(context, client, id)
  return deliveries
}

const send = (client: Client, body: Body): Promise<ResponseOf<'/webhooks/listen/replay', 'post'>> =>
  client.POST('/webhooks/listen/replay', { body })

/** A text is the id of a delivery or else of an event. */
async function replayNamed(context: Context, client: Client, text: string) {
  const deliveryId = await orUnknown(resolveReference(context, 'delivery', text))
  const replayed = deliveryId && (await orUnknown(send(client, { delivery_ids: [deliveryId] })))
  if (replayed) return replayed
  const eventId = await orUnknown(resolveReference(context, 'event', text))
  const sent = eventId && (await orUnknown(send(client, { event_ids: [eventId] })))
  if (sent) return sent
  throw new CliError('not_found', `There is no delivery and no event with the id "${text}".`, {
    hint: 'hctl deliveries list and hctl events list show the ids.',
  })
}

/** The result, or `undefined` if there is no such record. */
async function orUnknown<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof CliError && error.code === 'not_found') return undefined
    if (error instanceof ApiProblem && error.code === 'validation_failed') return undefined
    throw error
  }
}
