import type { NoticeType } from '@hosting/core/notices'
import {
  claimMail,
  endMail,
  postponeMails,
  putMailSettings,
  releaseMail,
  withdrawMails,
  type ClaimedMail,
} from '@hosting/postgres/notices'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { writeNoticeTo } from '../../../../test/support/written-notices.ts'
import { makeTenant } from '../support/fixtures.ts'
import { database, makePerson } from '../support/notices.ts'
import { rollingBack } from '../support/database.ts'

const digestMs = 300_000
const claim = () => claimMail(database, { leaseId: randomUUID(), leaseMs: 60_000, digestMs })

/** Writes notices to people, one of each type. */
async function write(people: readonly string[], ...types: NoticeType[]): Promise<void> {
  for (const type of types) await writeOf(randomUUID(), people, type)
}

/** Writes the notice of an incident. */
const writeOf = (incident: string, people: readonly string[], type: NoticeType) =>
  writeNoticeTo(database, { people, occurrence: incident, type })

const typesOf = (mail: ClaimedMail | undefined) => mail?.notices.map(({ type }) => type)

/** Sends an email. */
async function send(): Promise<ClaimedMail> {
  const mail = (await claim())!
  await endMail(database, mail, 'sent')
  return mail
}

/** Lets time pass: for the due times and the pauses. */
const pass = (ms: number) =>
  database.pool.query(
    `WITH mails AS (UPDATE notice_mails SET due_at = due_at - $1 * interval '1 ms')
     UPDATE mail_pauses SET until = until - $1 * interval '1 ms'`,
    [ms],
  )

const waitsOf = async (userId: string): Promise<number[]> => {
  const { rows } = await database.pool.query<{ wait: number }>(
    // In steps of 30 s, because the test itself takes some seconds on a busy machine.
    `SELECT round(extract(epoch FROM due_at - now()) / 30)::int * 30 AS wait FROM notice_mails
     WHERE user_id = $1 AND ended_at IS NULL`,
    [userId],
  )
  return rows.map(({ wait }) => wait)
}

describe('a digest', () => {
  let person: string

  beforeEach(async () => {
    await database.pool.query('DELETE FROM notice_mails')
    person = await makePerson(await makeTenant(database))
  })

  test('contains the mails of a person that are due, in turn', async () => {
    await write([person], 'webhook.failing', 'api_key.created', 'webhook.recovered')
    expect(typesOf(await send())).toEqual([
      'webhook.failing',
      expect.any(String),
      expect.any(String),
    ])
    expect(await claim()).toBeUndefined()
    const { rows } = await database.pool.query('SELECT DISTINCT outcome FROM notice_mails')
    expect(rows).toEqual([{ outcome: 'sent' }])
  })

  test('holds what follows within five minutes, and no other person', async () => {
    const other = await makePerson(await makeTenant(database))
    await write([person], 'webhook.failing')
    await send()
    await write([person], 'webhook.recovered', 'webhook.disabled')
    expect(await claim()).toBeUndefined()
    await postponeMails(database)
    expect(await waitsOf(person)).toEqual([300, 300])
    await write([other], 'webhook.failing')
    expect((await send()).userId).toBe(other)
    await pass(digestMs + 1)
    expect(typesOf(await send())?.toSorted()).toEqual(['webhook.disabled', 'webhook.recovered'])
  })

  test('never holds or contains security mail', async () => {
    await write([person], 'webhook.failing')
    await send()
    await write([person], 'security.changed', 'webhook.recovered', 'sign_in.new_device')
    expect([typesOf(await send()), typesOf(await send())].flat().toSorted()).toEqual([
      'security.changed',
      'sign_in.new_device',
    ])
    expect(await claim()).toBeUndefined()
  })

  test('does not start a pause for security mail', async () => {
    await write([person], 'security.changed')
    await send()
    await write([person], 'webhook.failing')
    expect(typesOf(await claim())).toEqual(['webhook.failing'])
  })

  test('contains the same mails when it is tried again, with the same id and without waiting', async () => {
    await write([person], 'webhook.failing', 'webhook.recovered')
    const first = (await claim())!
    await releaseMail(database, first, { soon: false })
    await write([person], 'webhook.disabled')
    await postponeMails(database)
    expect(await waitsOf(person)).toEqual(expect.arrayContaining([30, 30, 300]))
    await pass(31_000)
    const again = (await claim())!
    expect(again.digestId).toBe(first.digestId)
    expect(again.notices).toEqual(first.notices)
  })

  test('waits for a retry until none of its mails is locked', async () => {
    await write([person], 'webhook.failing', 'webhook.recovered', 'api_key.created')
    const first = (await claim())!
    await releaseMail(database, first, { soon: true })
    for (const { noticeId } of first.notices) {
      await rollingBack(database, async (client) => {
        await client.query('SELECT FROM notice_mails WHERE notice_id = $1 FOR UPDATE', [noticeId])
        expect(await claim()).toBeUndefined()
      })
    }
    const again = (await claim())!
    expect(again.digestId).toBe(first.digestId)
    expect(again.notices).toEqual(first.notices)
  })

  test('is tried again without a mail that was withdrawn', async () => {
    await write([person], 'webhook.failing', 'api_key.created')
    const first = (await claim())!
    await releaseMail(database, first, { soon: true })
    await database.prisma.$transaction((tx) => withdrawMails(tx, person, ['webhooks']))
    const again = (await claim())!
    expect(again.digestId).toBe(first.digestId)
    expect(typesOf(again)).toEqual(['api_key.created'])
  })

  test('contains every notice that was written before, even in the same millisecond', async () => {
    await write([person], 'webhook.failing')
    const client = await database.pool.connect()
    const due: boolean[] = []
    for (let round = 0; round < 50; round++) {
      await client.query('DELETE FROM notice_mails')
      const { rows } = await client.query<{ due: boolean }>(
        `WITH written AS (
           INSERT INTO notice_mails (notice_id) SELECT id FROM notices WHERE user_id = $1
           RETURNING due_at
         ) SELECT due_at <= statement_timestamp() AS due FROM written`,
        [person],
      )
      due.push(...rows.map((row) => row.due))
    }
    client.release()
    expect(due).toEqual(Array.from({ length: 50 }, () => true))
  })

  test('leaves out mails that are no longer wanted', async () => {
    await write([person], 'webhook.failing', 'api_key.created')
    const settings = { webhooks: false, api_keys: true, security: true }
    await database.prisma.$transaction(async (tx) => {
      await putMailSettings(tx, person, settings)
      await withdrawMails(tx, person, ['webhooks'])
    })
    expect(typesOf(await claim())).toEqual(['api_key.created'])
  })

  test('race: concurrent workers claim one email for a person', async () => {
    const types = Array.from({ length: 12 }, () => 'webhook.failing' as const)
    await write([person], ...types)
    const claims = await Promise.all(Array.from({ length: 8 }, claim))
    const found = claims.filter((mail) => mail !== undefined)
    expect(found).toHaveLength(1)
    expect(found[0]!.notices).toHaveLength(12)
  })
  test('of a recovery alone names the email of the failure of the same incident, if that was sent', async () => {
    const [incident, other] = [randomUUID(), randomUUID()]
    await writeOf(incident, [person], 'webhook.failing')
    const failure = await send()
    expect(failure.answers).toBeUndefined()
    await writeOf(incident, [person], 'webhook.recovered')
    await pass(digestMs + 1)
    const recovery = await send()
    expect(recovery.answers).toMatchObject({ type: 'webhook.failing', digestId: failure.digestId })
    await writeOf(other, [person], 'webhook.recovered')
    await pass(digestMs + 1)
    expect(await send()).not.toHaveProperty('answers')
  })

  test('of a failure that was not sent is answered by none', async () => {
    const incident = randomUUID()
    await writeOf(incident, [person], 'webhook.failing')
    await endMail(database, (await claim())!, 'refused')
    await writeOf(incident, [person], 'webhook.recovered')
    await pass(digestMs + 1)
    expect(await send()).not.toHaveProperty('answers')
  })
})
