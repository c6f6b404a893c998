import { decodePlainCursor, pageItemsDefault, type Cursors } from '@hosting/core/lists'
import { readNoticeFeed } from '@hosting/postgres/notices'
import { Type } from 'typebox'
import { read } from '../routes/define-route.ts'
import { foreignCursor } from '../schemas/validation.ts'
import { toFedNotice, noticeMembers } from '../routes/notices.ts'
import { listQuery } from '../routes/list.ts'
import { described, nullable, strictObject, text, uuid } from '../schemas/common.ts'

const feedName = 'notice-feed'

const fedNotice = strictObject({
  ...noticeMembers,
  tenant_id: uuid('The id of the organization.'),
  user: described(
    strictObject({
      id: uuid('The id of the person.'),
      email: nullable(text('The email address of the person. Null if there is none.')),
    }),
    'Whom the notice is for.',
  ),
})

export const noticeFeedRoute = read({
  operationId: 'internal.notices',
  path: '/notices',
  summary: 'Read the notices of all people',
  description:
    'For a platform that sends its own messages. Oldest first. Ask again later with `after=<next_cursor>`: it returns what was added since, and skips nothing.',
  auth: 'service',
  query: strictObject({
    limit: listQuery.limit,
    after: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,256}$',
        description:
          'The `next_cursor` of the previous response. Without it, the feed starts with the oldest notice.',
      }),
    ),
  }),
  returns: {
    status: 200,
    description: 'The notices after the cursor.',
    schema: strictObject({
      items: Type.Array(fedNotice, { description: 'The notices, oldest first.' }),
      next_cursor: text('The `after` of the next request. It is never null.'),
    }),
  },
  problems: [],
  async handle({ query: { limit: take = pageItemsDefault, after } }, { database, cursors }) {
    const position = positionOf(cursors, after)
    const notices = await readNoticeFeed(database, { after: position, take })
    const next = notices.at(-1)?.position ?? position
    return { items: notices.map(toFedNotice), next_cursor: cursors.encode(feedName, next) }
  },
})

/** @throws Problem `validation_failed` */
function positionOf(cursors: Cursors, after: string | undefined): string {
  if (after === undefined) return '0'
  // The platform stores cursors, also those of version 1.0.0.
  const position = cursors.decode(feedName, after) ?? decodePlainCursor(feedName, after)
  if (position === undefined || !/^\d{1,18}$/.test(position)) throw foreignCursor('/after')
  return position
}
