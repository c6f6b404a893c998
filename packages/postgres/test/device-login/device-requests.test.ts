import {
  createDeviceLogin,
  dropOldDeviceLogins,
  dropOldWrongCodes,
} from '@hosting/postgres/device-login'
import { expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)

test('device logins and wrong codes that no longer count are deleted after a day', async () => {
  const { prisma } = database
  await prisma.deviceRequest.deleteMany()
  await prisma.wrongUserCode.deleteMany()
  for (const [clientName, hours] of [
    ['old', 24.1],
    ['recent', 23.9],
    ['new', 0],
  ] as const) {
    const made = await createDeviceLogin(prisma, {
      deviceCodeHash: randomBytes(32),
      userCodeHash: randomBytes(32),
      clientName,
      clientId: null,
      requestedScopes: [],
      ip: '10.1.2.3',
      addressGroup: '10.1.2.3',
      userAgent: '',
      createdAt: hoursAgo(hours),
      expiresAt: hoursAgo(hours - 1 / 6),
    })
    expect(made).toBe(true)
  }
  const userId = randomUUID()
  await prisma.wrongUserCode.createMany({
    data: [0, 0.1, 0.2].map((hours) => ({ id: randomUUID(), userId, givenAt: hoursAgo(hours) })),
  })
  expect(await dropOldDeviceLogins(database)).toBe(1)
  expect(await dropOldWrongCodes(database, 600_000)).toBe(1)
  const kept = await prisma.deviceRequest.findMany({ orderBy: { createdAt: 'asc' } })
  expect(kept.map(({ clientName }) => clientName)).toEqual(['recent', 'new'])
  expect(await prisma.wrongUserCode.count()).toBe(2)
})
