import { currentTime } from '@hosting/core'
import { listSessions } from '@hosting/postgres'
import { Type } from 'typebox'
import { personIdOf } from '../../../http/caller.ts'
import { toSessionItem } from '../../../records/session.ts'
import { listAnswer, listById, listQuery, readPage } from '../../list.ts'
import { sessionRoute } from '../../public-route.ts'
import { strictObject, time, uuid } from '../../schemas.ts'

export const listSessionsRoute = sessionRoute({
  operation: 'auth.sessions.list',
  method: 'GET',
  path: '/auth/sessions',
  summary: 'List your sessions',
  description: 'Active sessions only. While impersonating, your own sessions.',
  auth: 'session',
  query: strictObject(listQuery),
  answers: {
    200: {
      description: 'A page of sessions.',
      schema: listAnswer(
        strictObject({
          id: uuid,
          ip: Type.String(),
          user_agent: Type.String(),
          created_at: time,
          last_seen_at: time,
          expires_at: time,
          current: Type.Boolean(),
        }),
      ),
    },
  },
  problems: [],
  handle: ({ caller, query }, { database: { prisma } }) =>
    readPage(listById('sessions'), query, {
      read: (page) => listSessions(prisma, personIdOf(caller), { ...page, now: currentTime() }),
      toItems: (rows) => rows.map((row) => toSessionItem(row, caller.session.id)),
    }),
})
