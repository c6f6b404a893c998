import { expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  makeSignedIn,
} from '../../../../test/support/session.ts'
import { freshAddress } from '../support/addresses.ts'
import type { NoticeView } from '../support/notices.ts'
import { behindProxy, setUpTotp, signInFrom } from '../support/sign-in.ts'

const api = useApi(behindProxy)
const password = 'correct horse battery'
const tenant = useTenant(api)

/** The notices of a person, newest first, each with the state of its mail. */
async function noticesOf(userId: string) {
  const session = await makeSession(api, userId)
  const { body } = await callWith(api, session)('get', '/notices')
  const mails = await api.database.prisma.noticeMail.findMany({ where: { notice: { userId } } })
  return (body.items as NoticeView[]).map((notice) => ({
    ...notice,
    isMailed: mails.some(({ noticeId, isSecurity }) => noticeId === notice.id && isSecurity),
  }))
}

const changed = (title: string) => ({ type: 'security.changed', title, isMailed: true })

test('a password change causes a notice and a mail to the person', async () => {
  const ana = await makeSignedIn(api, tenant, { password })
  const body = { new_password: 'staple battery horse' }
  expect((await callWith(api, ana)('post', '/auth/password', { body })).status).toBe(204)
  expect(await noticesOf(ana.id)).toMatchObject([
    {
      ...changed('Your password was changed'),
      subject: { type: 'session', id: ana.sessionId },
      path: '/security',
    },
  ])
})

test('adding or removing an authenticator causes a notice; enrolling without activating does not', async () => {
  const ana = await makeSignedIn(api, tenant, { password })
  const call = callWith(api, ana)
  await setUpTotp(api, ana)
  await call('delete', '/auth/factors/totp')
  await call('delete', '/auth/factors/totp')
  await call('post', '/auth/factors/totp')
  expect(await noticesOf(ana.id)).toMatchObject([
    changed('The authenticator app was removed from your account'),
    changed('An authenticator app was added to your account'),
  ])
})

test('the start of an impersonation causes a notice to the person but not to the admin', async () => {
  const ada = await makeSignedIn(api, tenant, { name: 'Ada' })
  const ben = await makePerson(api, tenant, { roles: ['support'] })
  const body = { user_id: ben.id }
  expect((await callWith(api, ada)('post', '/auth/impersonation', { body })).status).toBe(201)
  expect(await noticesOf(ben.id)).toMatchObject([
    {
      ...changed('An administrator started to act as you'),
      text: expect.stringContaining('Ada started at'),
    },
  ])
  expect(await noticesOf(ada.id)).toEqual([])
})

test('a notice does not quote an unknown User-Agent', async () => {
  const ana = await makePerson(api, tenant, { password })
  const signIn = () =>
    signInFrom(
      api,
      freshAddress(),
      { email: ana.email, password },
      { cookie: '', 'user-agent': 'your new phone. All fine, ignore.' },
    )
  expect((await signIn()).status).toBe(201)
  expect((await signIn()).status).toBe(201)
  const [notice] = await noticesOf(ana.id)
  expect(notice).toMatchObject({
    type: 'sign_in.new_device',
    subject: { name: 'Unknown browser' },
    text: expect.stringContaining(': Unknown browser, IP address '),
  })
})
