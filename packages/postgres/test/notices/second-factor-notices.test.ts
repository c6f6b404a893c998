import { listNotices } from '@hosting/postgres/notices'
import { createPasskey, writeSecondFactorNotices } from '@hosting/postgres/sessions'
import { describe, expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import { makeTenant } from '../support/fixtures.ts'
import { database, makePerson } from '../support/notices.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Requires a second factor of an organization from a time on, relative to now. */
const requireFrom = (tenantId: string, inMs: number) =>
  database.pool.query(
    `INSERT INTO security_policies (tenant_id, second_factor_required, second_factor_from)
     VALUES ($1, true, now() + $2 * interval '1 ms')
     ON CONFLICT (tenant_id) DO UPDATE SET second_factor_required = true, second_factor_from = EXCLUDED.second_factor_from`,
    [tenantId, inMs],
  )

/** Moves the time at which a second factor is required. */
const pass = (tenantId: string, ms: number) =>
  database.pool.query(
    `UPDATE security_policies SET second_factor_from = second_factor_from - $2 * interval '1 ms' WHERE tenant_id = $1`,
    [tenantId, ms],
  )

/** The days of a person's notices, oldest first. */
async function daysOf(userId: string) {
  const page = { after: undefined, take: 100 }
  const { rows } = await listNotices(database, { userId }, page)
  return rows
    .filter(({ type }) => type === 'second_factor.required')
    .map(({ details }) => details['days'])
    .toReversed()
}

const addPasskey = (userId: string) =>
  database.prisma.$transaction((tx) =>
    createPasskey(
      tx,
      {
        id: randomUUID(),
        userId,
        credentialId: randomBytes(16),
        publicKey: randomBytes(77),
        signCount: 0,
        transports: [],
        name: 'Laptop',
        isBackedUp: false,
      },
      10,
    ),
  )

/** An organization that requires a second factor, with a person who has none. */
async function enter(inMs: number) {
  const tenantId = await makeTenant(database)
  const ana = await makePerson(tenantId, { roles: ['customer'] })
  await requireFrom(tenantId, inMs)
  return { tenantId, ana }
}

const runDuty = () => writeSecondFactorNotices(database, 100)

describe('second_factor.required', () => {
  test('is written 7 days before and 1 day before, once each, to people without a factor', async () => {
    const { tenantId, ana } = await enter(7 * dayMs + hourMs)
    const ben = await makePerson(tenantId)
    await runDuty()
    expect(await daysOf(ana)).toEqual([])
    await requireFrom(tenantId, 7 * dayMs - hourMs)
    await Promise.all([runDuty(), runDuty(), runDuty()])
    expect([await daysOf(ana), await daysOf(ben)]).toEqual([[7], [7]])
    await addPasskey(ben)
    await requireFrom(tenantId, dayMs - hourMs)
    await Promise.all([runDuty(), runDuty()])
    expect([await daysOf(ana), await daysOf(ben)]).toEqual([[7, 1], [7]])
    await pass(tenantId, dayMs)
    await runDuty()
    expect(await daysOf(ana)).toEqual([7, 1])
  })

  test('has a mail of category security that states the time', async () => {
    const { ana } = await enter(3 * dayMs)
    await runDuty()
    const { rows } = await database.pool.query(
      `SELECT n.subject_type, n.details ->> 'from' AS "from", m.is_security
       FROM notices n JOIN notice_mails m ON m.notice_id = n.id WHERE n.user_id = $1`,
      [ana],
    )
    expect(rows).toEqual([
      { subject_type: 'tenant', from: expect.stringMatching(/^\d{4}-.*Z$/), is_security: true },
    ])
  })

  test('is written immediately if the policy is saved less than 7 days or 1 day before', async () => {
    const [{ ana }, { ana: ben }] = [await enter(3 * dayMs), await enter(hourMs)]
    await runDuty()
    expect([await daysOf(ana), await daysOf(ben)]).toEqual([[7], [1]])
  })

  test('is not written to deactivated people, people with a factor, and people of other organizations', async () => {
    const { tenantId } = await enter(3 * dayMs)
    const [gone, secured] = [
      await makePerson(tenantId, { status: 'deactivated' }),
      await makePerson(tenantId),
    ]
    await addPasskey(secured)
    const stranger = await makePerson(await makeTenant(database))
    await runDuty()
    for (const person of [gone, secured, stranger]) expect(await daysOf(person)).toEqual([])
  })

  test('is written to any number of people in statements of a limited size', async () => {
    const { tenantId, ana } = await enter(3 * dayMs)
    const others = await Promise.all(Array.from({ length: 4 }, () => makePerson(tenantId)))
    while ((await writeSecondFactorNotices(database, 2)) === 2);
    for (const person of [ana, ...others]) expect(await daysOf(person)).toEqual([7])
  })
})
