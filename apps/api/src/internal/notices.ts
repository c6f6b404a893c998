import {
  decodeCursor,
  encodeCursor,
  noticeSubjectTypes,
  noticeTypes,
  validationFailed,
} from '@hosting/core'
import { readNoticeFeed } from '@hosting/postgres'
import { Type } from 'typebox'
import { toFedNotice } from '../records/notice.ts'
import { nullable, strictObject, time, uuid } from '../routes/schemas.ts'
import { internalRoute } from './internal-route.ts'

const feedName = 'notice-feed'
const text = Type.String()

const fedNotice = strictObject({
  id: uuid,
  type: Type.String({ enum: Object.keys(noticeTypes) }),
  created_at: time,
  tenant_id: uuid,
  user: strictObject({ id: uuid, email: nullable(text) }),
  title: text,
  text,
  subject: strictObject({
    type: Type.String({ enum: [...noticeSubjectTypes] }),
    id: text,
    name: text,
  }),
  path: text,
})

export const noticeFeedRoute = internalRoute({
  operationId: 'internal.notices',
  method: 'GET',
  path: '/notices',
  summary: 'Read the notices of all people',
  description:
    'For a platform that sends its own messages. Oldest first. Ask again later with `after=<next_cursor>`: it returns what was added since, and skips nothing.',
  auth: 'service',
  query: strictObject({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
    after: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,256}$',
        description: 'The `next_cursor` of the previous response.',
      }),
    ),
  }),
  responses: {
    200: {
      description: 'The notices after the cursor.',
      schema: strictObject({ items: Type.Array(fedNotice), next_cursor: text }),
    },
  },
  problems: [],
  async handle({ query: { limit: take = 50, after } }, { database }) {
    const position = positionOf(after)
    const notices = await readNoticeFeed(database, { after: position, take })
    const next = notices.at(-1)?.position ?? position
    return { items: notices.map(toFedNotice), next_cursor: encodeCursor(feedName, next) }
  },
})

/** @throws Problem `validation_failed` */
function positionOf(after: string | undefined): string {
  if (after === undefined) return '0'
  const position = decodeCursor(feedName, after)
  if (position === undefined || !/^\d{1,18}$/.test(position)) {
    throw validationFailed({ pointer: '/after', message: 'is not a cursor of this feed' })
  }
  return position
}
