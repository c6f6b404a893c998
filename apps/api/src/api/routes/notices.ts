import {
  noticeIdsMax,
  noticesKeptDays,
  noticeSubjectTypes,
  noticeTypes,
  type NoticeCategory,
  describeNotice,
} from '@hosting/core/notices'
import {
  getMailSettings,
  listNotices,
  markNoticesRead,
  type FedNotice,
  type NoticeRecord,
} from '@hosting/postgres/notices'
import { Type } from 'typebox'
import { personIdOf } from '../access/caller.ts'
import { change, read } from './define-route.ts'
import { changeMailSettings } from '../use-cases/notices.ts'
import { listById, listQuery, listResponse, readPage } from './list.ts'
import {
  component,
  described,
  nullable,
  strictObject,
  text,
  time,
  uuid,
  wordOf,
  type RecordOf,
} from '../schemas/common.ts'

/** A notice as the API returns it to its person. */
const toNoticeRecord = (notice: NoticeRecord) => ({
  id: notice.id,
  type: notice.type,
  created_at: notice.createdAt,
  read_at: notice.readAt,
  subject: notice.subject,
  ...describeNotice(notice),
})

/** A notice in the internal feed. */
export const toFedNotice = (notice: FedNotice) => ({
  id: notice.id,
  type: notice.type,
  created_at: notice.createdAt,
  tenant_id: notice.tenantId,
  user: notice.user,
  subject: notice.subject,
  ...describeNotice(notice),
})

/** What every notice contains. */
export const noticeMembers = {
  id: uuid('The id of the notice.'),
  type: wordOf(Object.keys(noticeTypes), 'What happened. New types may be added at any time.'),
  created_at: time('When it happened.'),
  title: text('What happened, in one line.'),
  text: text('What happened and what to do, in plain text.'),
  subject: described(
    strictObject({
      type: wordOf(noticeSubjectTypes, 'The type of the record.'),
      id: text('The id of the record.'),
      name: text(
        'The name of the key, the description or host of the endpoint, or the browser of the sign-in.',
      ),
    }),
    'What the notice is about.',
  ),
  path: text('The path of the page of the panel that shows the subject.'),
}

const noticeRecord = component('Notice', {
  ...noticeMembers,
  read_at: nullable(time('When you marked it as read. Null while it is unread.')),
})

/** A notice in the list of a person's notices. */
export type NoticeItem = RecordOf<typeof noticeRecord>

export const listNoticesRoute = read({
  operationId: 'notices.list',
  path: '/notices',
  summary: 'List your notices',
  description: `Newest first, for ${noticesKeptDays} days. While impersonating, your own notices.`,
  auth: 'session',
  query: strictObject({
    ...listQuery,
    unread: Type.Optional(
      wordOf(
        ['true', 'false'],
        '`true`: only unread notices. `false`: only those that were read. Default: all.',
      ),
    ),
  }),
  returns: { status: 200, description: 'A page of notices.', schema: listResponse(noticeRecord) },
  problems: [],
  handle: ({ caller, query }, services) =>
    readPage(
      services,
      { list: listById('notices'), query },
      {
        read: (page) => {
          const unread = query.unread === undefined ? undefined : query.unread === 'true'
          return listNotices(services.database, { userId: personIdOf(caller), unread }, page)
        },
        toItems: (rows) => rows.map(toNoticeRecord),
      },
    ),
})

export const readNoticesRoute = change({
  operationId: 'notices.read',
  method: 'POST',
  path: '/notices/read',
  summary: 'Mark notices as read',
  description:
    'Without a body or without `ids`, marks all of your notices. An empty list marks none. Ids of other people are ignored.',
  auth: 'session',
  body: Type.Optional(
    strictObject({
      ids: Type.Optional(
        Type.Array(uuid(), {
          maxItems: noticeIdsMax,
          description: 'The ids of the notices. Default: all of your notices.',
        }),
      ),
    }),
  ),
  returns: { status: 204, description: 'The notices are read.' },
  problems: [],
  handle: ({ body, caller, work }) =>
    markNoticesRead(
      work.tx,
      personIdOf(caller),
      body?.ids?.map((id) => id.toLowerCase()),
    ),
})

const settings = component('NotificationSettings', {
  email: described(
    strictObject({
      webhooks: Type.Boolean({ description: 'Notices of types `webhook.*`.' }),
      api_keys: Type.Boolean({ description: 'Notices of types `api_key.*`.' }),
      security: Type.Boolean({ description: 'Notices of types `sign_in.*` and `security.*`.' }),
    } satisfies Record<NoticeCategory, unknown>),
    'Which notices you get by email, by category.',
  ),
})

export const getNotificationSettingsRoute = read({
  operationId: 'auth.notification-settings.get',
  withoutTurn: 'few records by id',
  path: '/auth/notification-settings',
  summary: 'Get your notification settings',
  description:
    'Which notices you get by email. All are on by default. While impersonating, your own settings.',
  auth: 'session',
  returns: { status: 200, description: 'The settings.', schema: settings },
  problems: [],
  handle: async ({ caller }, { database: { prisma } }) => ({
    email: await getMailSettings(prisma, personIdOf(caller)),
  }),
})

export const putNotificationSettingsRoute = change({
  operationId: 'auth.notification-settings.put',
  method: 'PUT',
  path: '/auth/notification-settings',
  summary: 'Change your notification settings',
  description:
    'Emails that are waiting when their setting is turned off are not sent, except those of `security`: everything that happened before is sent, and so is a notice of the change. Turning `security` off requires a recent confirmation.',
  auth: 'session',
  body: settings,
  returns: { status: 200, description: 'The settings.', schema: settings },
  problems: ['reauthentication_required', 'conflict'],
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
