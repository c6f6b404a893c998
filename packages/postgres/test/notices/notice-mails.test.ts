import type { NoticeType } from '@hosting/core/notices'
import {
  claimMail,
  endMail,
  endUnsentMails,
  listNotices,
  putMailSettings,
  releaseMail,
  withdrawMails,
} from '@hosting/postgres/notices'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { writeNoticeTo } from '../../../../test/support/written-notices.ts'
import { makeTenant } from '../support/fixtures.ts'
import { database, makePerson, writeNotice } from '../support/notices.ts'

const noticesOf = async (userId: string) =>
  (await listNotices(database, { userId }, { after: undefined, take: 100 })).rows

const typesOf = async (userId: string) => (await noticesOf(userId)).map(({ type }) => type)

describe('mails', () => {
  const leaseMs = 60_000
  const claim = () => claimMail(database, { leaseId: randomUUID(), leaseMs, digestMs: 0 })
  const stateOf = async (userId: string) =>
    (await database.prisma.noticeMail.findFirst({ where: { notice: { userId } } }))!
  /** Ends the mails of earlier tests. */
  const endOthers = () =>
    database.pool.query(`UPDATE notice_mails SET ended_at = now(), outcome = 'sent'`)
  const makeDue = () => database.pool.query('UPDATE notice_mails SET due_at = now()')
  const writeNotices = (people: string[], type: NoticeType = 'webhook.failing') =>
    writeNoticeTo(database, { people, occurrence: randomUUID(), type })
  /** The mail of a person in an organization of their own. */
  const makeMailOf = async (type: NoticeType) => {
    const userId = await makePerson(await makeTenant(database))
    await writeNotices([userId], type)
    return userId
  }
  const makeMail = async () => {
    await endOthers()
    return makeMailOf('webhook.failing')
  }

  test('race: concurrent workers claim a mail once, and again only after the lease', async () => {
    const userId = await makeMail()
    const claims = await Promise.all(Array.from({ length: 10 }, claim))
    expect(claims.filter((mail) => mail !== undefined)).toMatchObject([
      { email: `${userId}@example.test`, notices: [{ type: 'webhook.failing' }] },
    ])
    await makeDue()
    expect(await claim()).toBeDefined()
  })

  test('a worker that lost the lease records nothing', async () => {
    const userId = await makeMail()
    const first = (await claim())!
    await makeDue()
    const second = (await claim())!
    await endMail(database, first, 'refused')
    await releaseMail(database, first, { soon: true })
    expect(await stateOf(userId)).toMatchObject({
      leaseId: second.leaseId,
      outcome: null,
      tries: 2,
    })
    await endMail(database, second, 'sent')
    expect(await stateOf(userId)).toMatchObject({ outcome: 'sent', leaseId: null })
    await makeDue()
    expect(await claim()).toBeUndefined()
  })

  test('a failed mail waits 30 s, then twice as long each time, up to 15 minutes', async () => {
    const userId = await makeMail()
    const waits: number[] = []
    for (let tries = 1; tries <= 7; tries++) {
      const mail = (await claim())!
      await releaseMail(database, mail, { soon: false })
      const { rows } = await database.pool.query<{ wait: number }>(
        `SELECT round(extract(epoch FROM due_at - now()))::int AS wait FROM notice_mails WHERE notice_id = $1`,
        [mail.notices[0].noticeId],
      )
      waits.push(rows[0]!.wait)
      await makeDue()
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900])
    expect(await stateOf(userId)).toMatchObject({ tries: 7, outcome: null })
  })

  test('a mail is abandoned 24 hours after its notice', async () => {
    const userId = await makeMail()
    await database.pool.query(
      `UPDATE notices SET created_at = now() - interval '24 hours 1 ms' WHERE user_id = $1`,
      [userId],
    )
    expect(await claim()).toBeUndefined()
    expect(await endUnsentMails(database)).toEqual({ expired: 1, withdrawn: 0 })
    expect(await stateOf(userId)).toMatchObject({ outcome: 'expired' })
  })

  test('a pending mail whose setting is turned off is not sent, even if the setting is turned on again', async () => {
    const userId = await makeMail()
    const set = (webhooks: boolean) =>
      database.prisma.$transaction(async (tx) => {
        await putMailSettings(tx, userId, { webhooks, api_keys: true, security: true })
        await withdrawMails(tx, userId, webhooks ? [] : ['webhooks'])
      })
    await set(false)
    await set(true)
    expect(await claim()).toBeUndefined()
    expect(await stateOf(userId)).toMatchObject({ outcome: 'withdrawn' })
  })

  test('organizations take turns, whatever the number of their mails', async () => {
    await endOthers()
    const busy = await makeTenant(database)
    const people = []
    for (let count = 0; count < 30; count++) people.push(await makePerson(busy))
    for (let incident = 0; incident < 10; incident++) await writeNotices(people)
    const others = [await makeMailOf('webhook.failing'), await makeMailOf('webhook.failing')]
    const claimed = [await claim(), await claim(), await claim()].map((mail) => mail?.email)
    for (const userId of others) expect(claimed).toContain(`${userId}@example.test`)
  })

  test('security mails are sent first, and organizations take turns among them too', async () => {
    await endOthers()
    const busy = await makePerson(await makeTenant(database))
    for (let count = 0; count < 5; count++) await writeNotices([busy], 'sign_in.new_device')
    const webhook = await makeMailOf('webhook.failing')
    const security = await makeMailOf('security.changed')
    const types: string[] = []
    const emails: string[] = []
    for (let mail = await claim(); mail; mail = await claim()) {
      types.push(mail.notices[0].type)
      emails.push(mail.email)
    }
    expect(types.at(-1)).toBe('webhook.failing')
    expect(emails.at(-1)).toBe(`${webhook}@example.test`)
    expect(emails.indexOf(`${security}@example.test`)).toBeLessThanOrEqual(1)
  })

  test('pending security mails are sent even if their setting is turned off', async () => {
    await endOthers()
    const userId = await makeMailOf('sign_in.new_device')
    await database.prisma.$transaction(async (tx) => {
      await putMailSettings(tx, userId, { webhooks: false, api_keys: false, security: false })
      await withdrawMails(tx, userId, ['webhooks', 'api_keys', 'security'])
    })
    expect(await endUnsentMails(database)).toEqual({ expired: 0, withdrawn: 0 })
    expect(await claim()).toMatchObject({ email: `${userId}@example.test` })
  })

  test('a notice written while mail is off has no mail', async () => {
    const userId = await makePerson(await makeTenant(database))
    const settings = { webhooks: false, api_keys: true, security: true }
    await database.prisma.$transaction((tx) => putMailSettings(tx, userId, settings))
    await writeNotice(userId, 'off')
    expect(await typesOf(userId)).toEqual(['webhook.failing'])
    expect(await database.prisma.noticeMail.count({ where: { notice: { userId } } })).toBe(0)
  })

  test('the pending mail of a deactivated person is withdrawn', async () => {
    const userId = await makeMail()
    await database.pool.query(`UPDATE users SET status = 'deactivated' WHERE id = $1`, [userId])
    expect(await claim()).toBeUndefined()
    expect(await endUnsentMails(database)).toEqual({ expired: 0, withdrawn: 1 })
  })
})
