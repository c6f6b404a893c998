import { expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import { callWith, makePerson, makeSession } from '../../../../../test/support/session.ts'
import { freshAddress } from '../../support/addresses.ts'
import { refusalOf } from '../../support/refusals.ts'
import { behindProxy, setUpTotp, signInFrom } from '../../support/sign-in.ts'
import { untilBlocked } from '../../support/until.ts'

const api = useApi(behindProxy)
const password = 'correct horse battery'
const codeRequired = { status: 401, code: 'totp_required' }

const tenant = useTenant(api)

/** A person whose authenticator is activated while a request waits for the lock of their row. */
async function activateDuring(
  send: (person: Awaited<ReturnType<typeof makePerson>>) => Promise<Response>,
): Promise<Response> {
  const person = await makePerson(api, tenant, { password })
  await setUpTotp(api, await makeSession(api, person.id))
  const activeAt = (at: string) =>
    `UPDATE totp_factors SET activated_at = ${at} WHERE user_id = '${person.id}'`
  await api.database.pool.query(activeAt('NULL'))
  const client = await api.database.pool.connect()
  await client.query(`BEGIN; UPDATE users SET name = name WHERE id = '${person.id}'`)
  const sending = send(person)
  await untilBlocked(api, 1)
  await client.query(activeAt('now()'))
  await client.query('COMMIT')
  client.release()
  return await sending
}

test('race: an authenticator that is activated during a sign-in is asked for', async () => {
  const response = await activateDuring(({ email }) =>
    signInFrom(api, freshAddress(), { email, password }),
  )
  expect(refusalOf(response)).toEqual(codeRequired)
})

test('race: an authenticator that is activated during a confirmation is asked for', async () => {
  const response = await activateDuring(async ({ id }) =>
    callWith(api, await makeSession(api, id))('post', '/auth/session/confirm', {
      body: { password },
    }),
  )
  expect(refusalOf(response)).toEqual(codeRequired)
})
