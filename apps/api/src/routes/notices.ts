import { noticeSubjectTypes, noticeTypes, type NoticeCategory } from '@hosting/core'
import { getMailSettings, listNotices } from '@hosting/postgres'
import { Type } from 'typebox'
import { personIdOf } from '../http/caller.ts'
import { toNoticeRecord } from '../records/notice.ts'
import { changeMailSettings, readNotices } from '../use-cases/notices.ts'
import { listById, listQuery, listResponse, readPage } from './list.ts'
import { sessionRoute } from './public-route.ts'
import { nullable, strictObject, time, uuid } from './schemas.ts'

const text = Type.String()

const noticeRecord = strictObject({
  id: uuid,
  type: Type.String({ enum: Object.keys(noticeTypes) }),
  created_at: time,
  read_at: nullable(time),
  title: Type.String({ description: 'One line.' }),
  text,
  subject: strictObject({
    type: Type.String({ enum: [...noticeSubjectTypes] }),
    id: text,
    name: text,
  }),
  path: Type.String({ description: 'The page of the panel that shows the subject.' }),
})

export const listNoticesRoute = sessionRoute({
  operationId: 'notices.list',
  method: 'GET',
  path: '/notices',
  summary: 'List your notices',
  description: 'Newest first, for 90 days. While impersonating, your own notices.',
  auth: 'session',
  query: strictObject({
    ...listQuery,
    unread: Type.Optional(
      Type.Unsafe<'true' | 'false'>({
        type: 'string',
        enum: ['true', 'false'],
        description: '`true`: only unread notices. `false`: only those that were read.',
      }),
    ),
  }),
  responses: { 200: { description: 'A page of notices.', schema: listResponse(noticeRecord) } },
  problems: [],
  handle: ({ caller, query }, { database: { prisma } }) =>
    readPage(listById('notices'), query, {
      read: (page) => {
        const unread = query.unread === undefined ? undefined : query.unread === 'true'
        return listNotices(prisma, { userId: personIdOf(caller), unread }, page)
      },
      toItems: (rows) => rows.map(toNoticeRecord),
    }),
})

/** The most ids in a request. */
const idsMax = 1_000

export const readNoticesRoute = sessionRoute({
  operationId: 'notices.read',
  method: 'POST',
  path: '/notices/read',
  summary: 'Mark notices as read',
  description:
    'Without a body or without `ids`, marks all of your notices. An empty list marks none. Ids of other people are ignored.',
  auth: 'session',
  changes: true,
  body: Type.Optional(strictObject({ ids: Type.Optional(Type.Array(uuid, { maxItems: idsMax })) })),
  responses: { 204: { description: 'The notices are read.' } },
  problems: [],
  handle: (request) => readNotices(request, request.body?.ids),
})

const settings = strictObject({
  email: strictObject({
    webhooks: Type.Boolean({ description: 'Notices of types `webhook.*`.' }),
    api_keys: Type.Boolean({ description: 'Notices of types `api_key.*`.' }),
    security: Type.Boolean({ description: 'Notices of types `sign_in.*`.' }),
  } satisfies Record<NoticeCategory, unknown>),
})

export const getNotificationSettingsRoute = sessionRoute({
  operationId: 'auth.notification-settings.get',
  method: 'GET',
  path: '/auth/notification-settings',
  summary: 'Get your notification settings',
  description:
    'Which notices you get by email. All are on by default. While impersonating, your own settings.',
  auth: 'session',
  responses: { 200: { description: 'The settings.', schema: settings } },
  problems: [],
  handle: async ({ caller }, { database: { prisma } }) => ({
    email: await getMailSettings(prisma, personIdOf(caller)),
  }),
})

export const putNotificationSettingsRoute = sessionRoute({
  operationId: 'auth.notification-settings.put',
  method: 'PUT',
  path: '/auth/notification-settings',
  summary: 'Change your notification settings',
  description: 'Emails that are waiting when their setting is turned off are not sent.',
  auth: 'session',
  changes: true,
  body: settings,
  responses: { 200: { description: 'The settings.', schema: settings } },
  problems: [],
  async handle(request) {
    const { email } = request.body
    await changeMailSettings(request, email)
    return { email }
  },
})

/** Notices and the settings for their mails. */
export const noticeRoutes = [
  listNoticesRoute,
  readNoticesRoute,
  getNotificationSettingsRoute,
  putNotificationSettingsRoute,
]
