import { endpointName } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { makeEndpoint, makeTenant } from '../support/fixtures.ts'
import { database } from '../support/notices.ts'

describe('the name of an endpoint in notices', () => {
  test.each([
    [' Billing\n connector ', 'https://hooks.example.com/billing'],
    [null, 'https://hooks.example.com:8443/a/b/'],
    [null, 'https://user:word@hooks.example.com/a//b?token=secret#part'],
    [null, 'https://[2001:db8::1]/@team/a@b'],
  ])('is that of the panel: %j, %s', async (description, url) => {
    const id = await makeEndpoint(database, await makeTenant(database), { description, url })
    const { rows } = await database.pool.query<{ name: string }>(
      'SELECT name_of_endpoint(e) AS name FROM webhook_endpoints e WHERE id = $1',
      [id],
    )
    expect(rows[0]!.name).toBe(endpointName({ description, url }))
  })
})
