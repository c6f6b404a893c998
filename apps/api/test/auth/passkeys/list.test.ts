import { expect, test } from '@jest/globals'
import { useApi } from '../../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../../test/support/session.ts'
import { addPasskey, withPasskeys } from '../../support/passkeys.ts'
import { refusalOf } from '../../support/refusals.ts'

const api = useApi(withPasskeys)
const path = '/auth/factors/passkeys'

test("GET /auth/factors/passkeys lists the person's own passkeys, newest first, in pages", async () => {
  const tenant = await api.makeTenant()
  const [ana, ben] = [await makeSignedIn(api, tenant), await makeSignedIn(api, tenant)]
  const first = await addPasskey(api, ana, undefined, 'Laptop')
  const second = await addPasskey(api, ana, undefined, 'Phone')
  await addPasskey(api, ben)
  const call = callWith(api, ana)
  const { body } = await call('get', `${path}?limit=1`)
  expect(body.items).toMatchObject([
    { id: second, name: 'Phone', last_used_at: null, backed_up: false },
  ])
  const rest = await call('get', `${path}?cursor=${body.next_cursor}`)
  expect(rest.body).toMatchObject({ items: [{ id: first, name: 'Laptop' }], next_cursor: null })
  expect(Object.keys(body.items[0]).toSorted()).toEqual([
    'backed_up',
    'created_at',
    'id',
    'last_used_at',
    'name',
  ])
})

test('401 without a session, 403 with a key', async () => {
  const { token } = await (await api.makeTenant()).makeKey()
  expect(refusalOf(await api.call('get', path)).code).toBe('authentication_required')
  expect(refusalOf(await api.call('get', path, { token })).code).toBe('api_key_not_allowed')
})
