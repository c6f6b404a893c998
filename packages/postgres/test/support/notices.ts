import { type Role } from '@hosting/core/scopes'
import { putUser } from '@hosting/postgres/directory'
import { randomUUID } from 'node:crypto'
import { writeNoticeTo } from '../../../../test/support/written-notices.ts'
import { useDatabase } from './database.ts'

export const database = useDatabase()

export async function makePerson(
  tenantId: string,
  {
    roles = ['admin'],
    status = 'active',
  }: { roles?: Role[]; status?: 'active' | 'deactivated' } = {},
): Promise<string> {
  const id = randomUUID()
  const person = { id, tenantId, email: `${id}@example.test`, name: 'Ana', status, roles }
  await database.prisma.$transaction((tx) => putUser(tx, person, []))
  return id
}

export const writeNotice = (userId: string, occurrence: string) =>
  writeNoticeTo(database, { people: [userId], occurrence })
