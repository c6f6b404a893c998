import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { notFound, refusalOf } from '../../support/refusals.ts'
import { testServiceAccess } from '../../support/service-access.ts'

const api = useApi()

testServiceAccess(api, { verb: 'delete', path: `/accounts/${randomUUID()}` })

const remove = (id: string) => api.callInternal('delete', `/accounts/${id}`)

test('204 without a body, then 404', async () => {
  const id = await (await api.makeTenant()).makeAccount()
  const { status, text } = await remove(id)
  expect({ status, text }).toEqual({ status: 204, text: '' })
  expect(refusalOf(await remove(id))).toEqual(notFound)
})

test('users lose the account immediately, and keep their others', async () => {
  const tenant = await api.makeTenant()
  const accounts = [await tenant.makeAccount(), await tenant.makeAccount()]
  const { token } = await tenant.makeKey({ roles: ['reseller'], accounts })
  await remove(accounts[0]!)
  const { body } = await api.call('get', '/auth/me', { token })
  expect(body.accounts).toEqual([accounts[1]])
})

describe('DELETE /accounts/{id}: not found', () => {
  test('404 is the same for a missing account and an invalid id', async () => {
    for (const id of [randomUUID(), 'shop']) expect(refusalOf(await remove(id))).toEqual(notFound)
  })
})
