import {
  decideUseRange,
  keyUseCombinationsMax,
  keyUsesKeptDays,
  useSpans,
} from '@hosting/core/api-keys'
import { currentTimeMs } from '@hosting/core/clock'
import { listKeyUses, type KeyUse, type UsePosition } from '@hosting/postgres/api-keys'
import { Type } from 'typebox'
import { read } from './define-route.ts'
import { keyParams } from '../schemas/api-key.ts'
import {
  component,
  count,
  nullable,
  strictObject,
  text,
  time,
  timeText,
  wordOf,
  wordOrNull,
} from '../schemas/common.ts'
import { getVisibleKey } from '../use-cases/key-access.ts'
import { listQuery, listResponse, readPage, type ListKind } from './list.ts'

const keyUse = component('KeyUse', {
  start: time('When the hour or day starts, in UTC.'),
  operation: nullable(
    text(
      'The `operationId` of the operation, or `internal.authorize` for a request to another service that accepts the key. Null if no route served the requests.',
    ),
  ),
  status: nullable(
    Type.Integer({
      description: 'The status of the responses. Null in the rest of an hour if they differ.',
    }),
  ),
  address: nullable(
    text(
      'The client address: an IPv4 address or the /64 of an IPv6 address. Null in the rest of an hour.',
    ),
  ),
  secret: wordOrNull(
    ['current', 'previous'],
    '`previous` if the requests sent a secret that a rotation had replaced. Null in the rest of an hour if they differ.',
  ),
  requests: count('The number of requests that have all of this in common.'),
})

export const keyUsesRoute = read({
  operationId: 'api-keys.uses',
  path: '/api-keys/:id/uses',
  summary: 'List the uses of a key',
  description: `Requests with a valid secret by hour or day, operation, status, address and secret, newest first, of the last ${keyUsesKeptDays} days. Of an hour at most ${keyUseCombinationsMax} combinations are kept; the rest is one item whose \`operation\` and \`address\` are null. The numbers add up to the usage of the key and may lag by up to 10 seconds. A request counts in the hour in which it arrived, once its response is known.`,
  auth: 'apikeys.read',
  params: keyParams,
  query: strictObject({
    ...listQuery,
    since: Type.Optional(
      timeText(
        `Starts with the hour or day that contains this time, at most ${keyUsesKeptDays} days before \`until\`. Default: 24 hours before it.`,
      ),
    ),
    until: Type.Optional(timeText('Only hours that start before this time. Default: now.')),
    by: Type.Optional(
      wordOf(
        useSpans,
        'The span that requests are added up by. Default: `hour` for up to 48 hours, otherwise `day`.',
      ),
    ),
  }),
  returns: { status: 200, description: 'A page of uses.', schema: listResponse(keyUse) },
  problems: [],
  async handle({ caller, params, query }, services) {
    await getVisibleKey(services.database.prisma, caller, params.id)
    const range = decideUseRange(query, currentTimeMs())
    return readPage(
      services,
      { list: usesBy[range.by], query },
      {
        read: (page) => listKeyUses(services.database, { ...range, keyId: params.id }, page),
        toItems: (rows) => rows.map(toUseRecord),
      },
    )
  },
})

const listBy = (name: string): ListKind<UsePosition, UsePosition> => ({
  name,
  toPosition(position) {
    const [, startMs, place] = /^(\d{1,13})\.(\d{1,5})$/.exec(position) ?? []
    return place === undefined
      ? undefined
      : { start: new Date(Number(startMs)), place: Number(place) }
  },
  positionOf: ({ start, place }) => `${start.getTime()}.${place}`,
})

/** A position by hour is none by day. */
const usesBy = { hour: listBy('api-key-uses-by-hour'), day: listBy('api-key-uses-by-day') }

const toUseRecord = ({ start, operation, status, address, isPrevious, requests }: KeyUse) => ({
  start,
  operation,
  status,
  address,
  secret: isPrevious === null ? null : isPrevious ? ('previous' as const) : ('current' as const),
  requests,
})

/** A use of a key as the API returns it. */
export type KeyUseRecord = ReturnType<typeof toUseRecord>
